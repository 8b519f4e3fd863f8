/**
 * Pausing and archiving a campaign stop new referrals and nothing else: links redirect, referrals made before keep earning, and what was
 * earned is paid.
 */
import type { CampaignDetail, CampaignSummary } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { setCampaignStatus } from '../../src/programme/campaigns/set-campaign-status.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import {
  approvedAffiliate,
  buildClick,
  convert,
  countRows,
  earnOne,
  openCampaign,
  pay,
  winCustomer,
} from '../ledger/scene.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { Person } from './person.ts'

const scene = useScene()
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})

const set = (id: number, status: string, person = admin) =>
  person.call('setCampaignStatus', { id, body: { status } })
const show = async (id: number): Promise<CampaignDetail> => (await admin.call('getCampaign', { id })).body
const follow = (path: string) =>
  fetch(`${scene.app.url}/r/${scene.account.slug}/${path}`, { redirect: 'manual' })

describe('the status', () => {
  it('is paused, resumed, archived and restored by the programme team, and each change is logged', async () => {
    const { id } = await openCampaign(scene.database, scene.account.id)
    const steps: [string, string][] = [
      ['active', 'paused'],
      ['paused', 'active'],
      ['active', 'archived'],
      ['archived', 'paused'],
      ['paused', 'archived'],
    ]
    for (const [from, status] of steps) {
      expect((await set(id, status)).status).toBe(200)
      expect((await show(id)).status).toBe(status)
      const { data } = (await admin.call('listAuditLog', { query: { action: 'campaign.set_status' } })).body
      expect(data[0]).toMatchObject({ subject_id: id, actor_name: admin.email, details: { from, status } })
    }
    expect((await set(id, 'archived')).body.error.message).toBe('The campaign is already archived.')
    expect((await set(id, 'active')).body.error.message).toBe(
      'The campaign is archived. Restore it before you resume it.',
    )
    const finance = await Person.join(scene.app, scene.account.id, 'finance')
    expect((await set(id, 'paused', finance)).status).toBe(403)
    const elsewhere = await buildCampaign(scene.database, (await buildAccount(scene.database)).id)
    expect((await set(elsewhere.id, 'paused')).status).toBe(404)
  })

  it('changes once when two people press the button at once', async () => {
    const { id } = await openCampaign(scene.database, scene.account.id)
    const second = await whileHeld(
      scene.database,
      tx => setCampaignStatus(tx, scene.account.id, id, 'paused'),
      () => set(id, 'paused'),
    )
    expect([second.status, second.body.error.message]).toEqual([409, 'The campaign is already paused.'])
    expect(await countRows(scene, 'campaign_stops', 'campaign_id = $1', [id])).toBe(1)
  })
})

describe.each(['paused', 'archived'] as const)('a campaign that is %s', status => {
  it('redirects and credits no one, with the reason; earlier referrals keep earning and are paid', async () => {
    const won = await winCustomer(scene, { destination_url: 'https://shop.example/' })
    const { campaign, affiliate } = won
    await earnOne(scene, won)
    const late = { campaign_id: campaign.id, customer_ref: unique('late'), token: affiliate.token }
    const occurred_at = new Date().toISOString()
    await set(campaign.id, status)

    const visit = await follow(`${affiliate.token}/${campaign.slug}`)
    expect([visit.status, visit.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^https:\/\/shop\.example\/\?via=.+&click_id=\d+$/),
    ])
    const click_id = /click_id=(\d+)/.exec(visit.headers.get('location') ?? '')?.[1]
    const unattributed = await convert(scene.api, {
      campaign_id: campaign.id,
      customer_ref: unique('customer'),
      click_id,
      sale: { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' },
    })
    expect([unattributed.status, unattributed.body]).toMatchObject([
      200,
      {
        referral: null,
        commissions: [],
        attribution: { reason: `Unattributed: the campaign was ${status} at the conversion.` },
      },
    ])
    const { data } = (await admin.call('listUnattributed', { query: { campaign_id: campaign.id } })).body
    expect(data[0].attribution.why).toEqual({ code: 'campaign_stopped', status })

    // Earned before, reported now.
    expect((await convert(scene.api, { ...late, occurred_at })).status).toBe(201)
    const { entry } = await earnOne(scene, won, 5000)
    expect(entry).toMatchObject({ payout_amount_minor: 1000, status: 'approved' })
    expect(await pay(scene, campaign.id)).toEqual({ [affiliate.id]: 3000 })
  })

  it('never credits a click that was made in that time, even after it is resumed', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    const affiliate = await approvedAffiliate(scene, campaign.id)
    const before = await buildClick(scene, { campaignId: campaign.id, affiliateId: affiliate.id })
    await set(campaign.id, status)
    const during = await buildClick(scene, { campaignId: campaign.id, affiliateId: affiliate.id, ago: '0' })
    if (status === 'archived') await set(campaign.id, 'paused')
    await set(campaign.id, 'active')
    const report = (click_id: number) =>
      convert(scene.api, {
        campaign_id: campaign.id,
        customer_ref: unique('customer'),
        click_id: `${click_id}`,
      })
    expect((await report(before)).status).toBe(201)
    expect((await report(during)).body).toMatchObject({
      referral: null,
      attribution: { reason: expect.stringMatching(/clicked while the campaign was (paused|archived)/) },
    })
  })

  it('cannot be joined in the portal, and still enrols through the team and the API', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id, {
      visibility: 'public',
      open_enrollment: true,
    })
    expect((await show(campaign.id)).join_link).toContain(`/join/${campaign.slug}`)
    await set(campaign.id, status)
    expect((await show(campaign.id)).join_link).toBeNull()
    const body = { email: `${unique('join')}@example.com`, campaign_id: campaign.id }
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    expect((await browser.call('requestToJoin', { body })).status).toBe(422)
    expect((await scene.api.post('/affiliates', body)).status).toBe(201)
  })
})

it('an archived campaign leaves lists and choices, and stays reachable', async () => {
  const account = await buildAccount(scene.database)
  const person = await Person.join(scene.app, account.id, 'admin')
  const build = () => buildCampaign(scene.database, account.id)
  const [active, paused, archived] = [await build(), await build(), await build()]
  await set(paused.id, 'paused', person)
  await set(archived.id, 'archived', person)
  const idsOf = async (query: Record<string, unknown>) =>
    (await person.call('listCampaigns', { query: { order: 'oldest', ...query } })).body.data.map(
      ({ id }: CampaignSummary) => id,
    )
  expect(await idsOf({})).toEqual([active.id, paused.id])
  expect(await idsOf({ status: 'paused' })).toEqual([paused.id])
  expect(await idsOf({ status: 'archived' })).toEqual([archived.id])
  expect(await idsOf({ include_archived: true })).toEqual([active.id, paused.id, archived.id])
  expect((await person.call('getCampaign', { id: archived.id })).body.status).toBe('archived')
})

it('a link without a campaign prefers an enrolment that is not archived, and stays with a paused one', async () => {
  const terms = (name: string) => ({ destination_url: `https://${name}.example/` })
  const [first, second] = [
    await openCampaign(scene.database, scene.account.id, terms('first')),
    await openCampaign(scene.database, scene.account.id, terms('second')),
  ]
  const { token, email } = await approvedAffiliate(scene, first.id)
  await buildAffiliate(scene.database, scene.account.id, second.id, { email })
  const host = async () => new URL((await follow(token)).headers.get('location') ?? '').host
  expect(await host()).toBe('first.example')
  await set(first.id, 'paused')
  // Campaigns are cached for a moment: another page shows that the link has been looked up again.
  await scene.database.owner.query(
    `UPDATE campaigns SET destination_url = 'https://paused.example/' WHERE id = $1`,
    [first.id],
  )
  await expect.poll(host).toBe('paused.example')
  await set(first.id, 'archived')
  await expect.poll(host).toBe('second.example')
})

it('the portal marks a paused campaign and leaves an archived one out', async () => {
  const open = { visibility: 'public', open_enrollment: true, destination_url: 'https://a.example/' } as const
  const campaign = await openCampaign(scene.database, scene.account.id, open)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const mine = await PortalBrowser.signIn(scene, affiliate.id)
  const listed = async () => {
    const [links, campaigns] = [await mine.call('listLinks'), await mine.call('listCampaigns')]
    const here = (rows: { is_paused: boolean }[], key: string) =>
      rows.filter(row => (row as never)[key] === campaign.id).map(({ is_paused }) => is_paused)
    return [here(links.body.data, 'campaign_id'), here(campaigns.body.data, 'id')]
  }
  expect(await listed()).toEqual([[false], [false]])
  await set(campaign.id, 'paused')
  expect(await listed()).toEqual([[true], [true]])
  const other = await approvedAffiliate(scene, (await openCampaign(scene.database, scene.account.id)).id)
  const theirs = await PortalBrowser.signIn(scene, other.id)
  const { data } = (await theirs.call('listCampaigns')).body
  expect(data.map(({ id }: { id: number }) => id)).not.toContain(campaign.id)
  await set(campaign.id, 'archived')
  expect(await listed()).toEqual([[], []])
})
