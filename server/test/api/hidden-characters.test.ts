/** Protects readers of names: a name is what it looks like, on one line, through every way in. */
import { beforeAll, describe, expect, it } from 'vitest'
import { adjustBalance } from '../../src/money/commissions/adjust-balance.ts'
import { createAccount } from '../../src/programme/accounts/create-account.ts'
import { createApiKey } from '../../src/programme/api-keys/create-api-key.ts'
import { Person } from '../dashboard/person.ts'
import { buildCampaign, unique } from '../factories.ts'
import { useOwnScene } from '../harness.ts'
import { PortalBrowser } from '../portal/affiliate.ts'

const scene = useOwnScene({ TRIBUTARY_TRUST_PROXY: 'true' })
let owner: Person
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
})

const HIDDEN = {
  'a right-to-left override': '\u202e',
  'an isolate': '\u2066',
  'a direction mark': '\u200f',
  'a line separator': '\u2028',
  'a line break': '\n',
  'a control': '\u0007',
  'a C1 control': '\u009b',
  'a zero-width space': '\u200b',
}
const email = () => `${unique('jane')}@example.com`
const create = (fields: object) =>
  scene.api.post('/affiliates', { email: email(), campaign_id: scene.place.campaign_id, ...fields })
const refused = (field: string) => ({
  status: 422,
  body: { error: { code: 'validation_failed', message: expect.stringMatching(`^${field}.* must `) } },
})

describe.each(Object.entries(HIDDEN))('%s', (_what, character) => {
  const text = `Ja${character}ne`

  it('is refused by the API in every name', async () => {
    expect(await create({ name: text })).toMatchObject(refused('name'))
    expect(await create({ coupon_code: text })).toMatchObject(refused('coupon_code'))
    expect(await create({ tags: ['vip', text] })).toMatchObject(refused('tags\\[1\\]'))
    expect(await create({ email: `ja${character}ne@example.com` })).toMatchObject(refused('email'))
    expect(await scene.api.patch(`/affiliates/${scene.place.affiliate_id}`, { name: text })).toMatchObject(
      refused('name'),
    )
  })

  it('is refused by the dashboard', async () => {
    const { campaign_id, affiliate_id } = scene.place
    expect(await owner.call('updateAccount', { body: { name: text } })).toMatchObject(refused('name'))
    expect(await owner.call('createApiKey', { body: { name: text } })).toMatchObject(refused('name'))
    expect(await owner.call('updateCampaign', { id: campaign_id, body: { name: text } })).toMatchObject(
      refused('name'),
    )
    expect(await owner.call('updatePortal', { body: { name: text } })).toMatchObject(refused('name'))
    const adjustment = { affiliate_id, campaign_id, amount_minor: 100, description: text }
    const adjusted = await owner.call('adjustBalance', {
      body: { ...adjustment, request_id: unique('adjustment') },
    })
    // A note may have several lines.
    expect(adjusted.status).toBe(character === '\n' ? 200 : 422)
  })

  it('is refused in a line of a file, which is named', async () => {
    const csv = `email,name,tags\r\nok@example.com,Fine,vip\r\nbad@example.com,"${text}",vip\r\n`
    const { body } = await owner.call('importAffiliates', {
      body: { campaign_id: scene.place.campaign_id, csv, dry_run: true },
    })
    expect(body).toMatchObject({
      created: 1,
      refused: [
        { line: 3, email: 'bad@example.com', reason: expect.stringMatching(/^name must be one line/) },
      ],
    })
  })

  it('is refused by the portal', async () => {
    const browser = new PortalBrowser(scene.app, scene.account.slug)
    const body = { email: email(), name: text, campaign_id: scene.place.campaign_id }
    expect(await browser.call('requestToJoin', { body })).toMatchObject(refused('name'))
  })

  it('is refused on the command line', async () => {
    const { db } = scene.database
    const account = { name: text, email: email(), password: 'long enough' }
    await expect(createAccount(db, account)).rejects.toThrow(/^name must be one line/)
    await expect(createApiKey(db, scene.account.id, text)).rejects.toThrow(/^name must be one line/)
    await expect(buildCampaign(scene.database, scene.account.id, { name: text })).rejects.toThrow(
      /^name must/,
    )
    const { campaign_id: campaignId, affiliate_id: affiliateId } = scene.place
    const adjustment = { campaignId, affiliateId, amountMinor: 1, description: `a\u202eb${character}` }
    await expect((async () => adjustBalance(db, scene.account.id, adjustment))()).rejects.toThrow(
      /^description must/,
    )
  })
})

it.each([
  'مريم',
  'علی\u200cرضا',
  'क्\u200dष',
  '👩\u200d💻 Ada',
  '❤\ufe0f',
  'דוד',
  '山田太郎',
  "O'Neil-Łukasz",
])('%j is a name like any other', async name => {
  expect(await create({ name, tags: [name] })).toMatchObject({ status: 201, body: { name, tags: [name] } })
})

it('what was kept before is shown without it', async () => {
  const { database, account, place } = scene
  const name = 'evil\u202egnp.exe\u2028\u200b'
  await database.owner.query('UPDATE affiliates SET name = $1, tags = ARRAY[$1] WHERE id = $2', [
    name,
    place.affiliate_id,
  ])
  await database.owner.query('UPDATE accounts SET name = $1 WHERE id = $2', [name, account.id])
  // The contract gives what is kept, byte for byte.
  expect((await scene.api.get(`/affiliates/${place.affiliate_id}`)).body.name).toBe(name)
  expect((await owner.call('getAffiliate', { id: place.affiliate_id })).body.name).toBe('evilgnp.exe')
  expect((await owner.call('exportAffiliates')).text).toContain(',evilgnp.exe,')
  const page = await new PortalBrowser(scene.app, account.slug).get(`/portal/${account.slug}`)
  expect([page.status, page.text.includes('evilgnp.exe')]).toEqual([200, true])
  expect(page.text).not.toMatch(/[\u202e\u2028\u200b]/)
  const invited = await owner.call('invite', { body: { email: email(), role: 'viewer' } })
  expect(invited.status).toBe(200)
  const { rows } = await database.owner.query('SELECT subject, text_body, html_body FROM mails')
  expect(rows.length).toBeGreaterThan(0)
  for (const mail of rows) expect(Object.values(mail).join('')).not.toMatch(/[\u202e\u2028\u200b]/)
})
