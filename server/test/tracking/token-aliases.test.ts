/** A link keeps working, and keeps crediting the same affiliate, after the affiliate's token was changed. */
import type { Affiliate } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { reportConversion } from '../../src/earning/conversions/report-conversion.ts'
import { enrolAffiliate } from '../../src/programme/affiliates/enrol-affiliate.ts'
import { importAffiliates } from '../../src/programme/affiliates/import-affiliates.ts'
import { updateAffiliate } from '../../src/programme/affiliates/update-affiliate.ts'
import { buildAffiliate, unique } from '../factories.ts'
import { whileHeld } from '../interleave.ts'
import { clickRow, follow, useTracking } from './scene.ts'

const scene = useTracking()
const db = () => scene.database.db
const account = () => scene.account.id
const newAffiliate = () => buildAffiliate(scene.database, account(), scene.campaign.id)
const rename = ({ id }: Pick<Affiliate, 'id'>, token: string) =>
  updateAffiliate(db(), account(), id, { token })
const enrolled = (token: string) =>
  enrolAffiliate(db(), account(), {
    email: `${unique('new')}@example.com`,
    campaign_id: scene.campaign.id,
    token,
  })
const TAKEN = /^token is taken by another affiliate/

/** The affiliate that a click on a link with this token counts for. */
async function clicked(token: string): Promise<number> {
  const { status, clickId } = await follow(scene, `/r/${scene.account.slug}/${token}`)
  expect(status).toBe(302)
  return Number((await clickRow(scene, clickId)).affiliate_id)
}

describe('an old token', () => {
  it('still leads to its affiliate, in links and reports, through any number of changes', async () => {
    const affiliate = await newAffiliate()
    const [second, third] = [unique('second'), unique('third')]
    await rename(affiliate, second)
    await updateAffiliate(db(), account(), affiliate.id, { token: third, status: 'approved' })
    for (const token of [affiliate.token, second, third]) expect(await clicked(token)).toBe(affiliate.id)
    const { result } = await reportConversion(db(), account(), {
      campaign_id: scene.campaign.id,
      customer_ref: unique('customer'),
      token: affiliate.token,
    })
    expect(result.referral?.affiliate_id).toBe(affiliate.id)
  })

  it('can be taken back by its affiliate, again and again', async () => {
    const affiliate = await newAffiliate()
    const other = unique('other')
    for (let turn = 0; turn < 20; turn++) await rename(affiliate, turn % 2 === 0 ? other : affiliate.token)
    for (const token of [affiliate.token, other]) expect(await clicked(token)).toBe(affiliate.id)
    const { rows } = await scene.database.owner.query(
      'SELECT token FROM token_aliases WHERE affiliate_id = $1',
      [affiliate.id],
    )
    expect(rows).toEqual([{ token: other }])
  })

  it("can't be taken by another affiliate: new, changed or imported", async () => {
    const [affiliate, other] = [await newAffiliate(), await newAffiliate()]
    await rename(affiliate, unique('renamed'))
    await expect(rename(other, affiliate.token)).rejects.toThrow(TAKEN)
    await expect(enrolled(affiliate.token)).rejects.toThrow(TAKEN)
    const csv = `email,token\n${unique('a')}@example.com,${affiliate.token}\n${unique('b')}@example.com,${unique('free')}`
    const request = { campaign_id: scene.campaign.id, csv, dry_run: false }
    const report = await importAffiliates(db(), account(), request)
    expect(report).toMatchObject({ created: 1, refused: [{ line: 2, reason: expect.stringMatching(TAKEN) }] })
    expect(await clicked(affiliate.token)).toBe(affiliate.id)
    expect(await clicked(other.token)).toBe(other.id)
  })
})

describe('beside a change of its token', () => {
  it.each([
    ['a new affiliate', enrolled],
    ['another affiliate', async (token: string) => rename(await newAffiliate(), token)],
  ] as [string, (token: string) => Promise<unknown>][])('%s gets it in neither order', async (_, take) => {
    const affiliate = await newAffiliate()
    await expect(
      whileHeld(
        scene.database,
        tx => updateAffiliate(tx, account(), affiliate.id, { token: unique('renamed') }),
        () => take(affiliate.token),
      ),
    ).rejects.toThrow(TAKEN)
    expect(await clicked(affiliate.token)).toBe(affiliate.id)
  })

  it('an import is refused as a whole, and can be repeated', async () => {
    const affiliate = await newAffiliate()
    const csv = `email,token\n${unique('c')}@example.com,${affiliate.token}`
    const run = () =>
      importAffiliates(db(), account(), { campaign_id: scene.campaign.id, csv, dry_run: false })
    const change = (tx: Parameters<Parameters<typeof whileHeld>[1]>[0]) =>
      updateAffiliate(tx, account(), affiliate.id, { token: unique('renamed') })
    await expect(whileHeld(scene.database, change, run)).rejects.toThrow('was changed during the import')
    expect(await run()).toMatchObject({ created: 0, refused: [{ line: 2 }] })
    expect(await clicked(affiliate.token)).toBe(affiliate.id)
  })
})
