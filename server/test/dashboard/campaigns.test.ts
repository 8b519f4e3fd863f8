/** The campaigns of the dashboard: their terms can change at any time, and what has been earned keeps the terms that made it. */
import type { CampaignDetail, CampaignSummary } from '@tributary/contract/dashboard'
import { beforeAll, describe, expect, it } from 'vitest'
import { updateCampaign } from '../../src/programme/campaigns/update-campaign.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { earnOne, openCampaign, winCustomer } from '../ledger/scene.ts'
import { Person } from './person.ts'

const scene = useScene()
let admin: Person
beforeAll(async () => {
  admin = await Person.join(scene.app, scene.account.id, 'admin')
})

const wanted = (overrides: object = {}) => ({
  name: 'Partner programme',
  program_type: 'affiliate',
  visibility: 'public',
  payout_currency: 'EUR',
  attribution_model: 'first_click',
  attribution_window_days: 90,
  hold_days: 14,
  minimum_payout_minor: 2500,
  open_enrollment: true,
  destination_url: 'https://shop.example/start',
  review_referrals: true,
  look_back: false,
  rewards: { commission: '12.5%', recurring_months: 12 },
  ...overrides,
})
const create = (overrides: object = {}, person = admin) =>
  person.call('createCampaign', { body: wanted(overrides) })
const show = async (id: number): Promise<CampaignDetail> => (await admin.call('getCampaign', { id })).body
const update = (id: number, body: Record<string, unknown>, person = admin) =>
  person.call('updateCampaign', { id, body })

const affiliateRule = {
  beneficiary: 'affiliate',
  entry_type: 'earned',
  rate_basis_points: 1250,
  flat_minor: null,
  flat_currency: null,
  recurring_months: 12,
}

it('opens a campaign with its rule and shows all of it', async () => {
  const { status, body } = await create({ slug: 'partners' })
  expect(status).toBe(200)
  const { rewards, ...campaign } = wanted()
  expect(await show(body.id)).toMatchObject({
    ...campaign,
    slug: 'partners',
    rules: [affiliateRule],
    enrolled: 0,
    has_more_enrolled: false,
    rule_versions: [{ version: 1, rules: [affiliateRule] }],
  })
  const audit = (await admin.call('listAuditLog', { query: { action: 'campaign.create' } })).body.data[0]
  expect(audit).toMatchObject({ subject_id: body.id, actor_name: admin.email, details: { slug: 'partners' } })
})

it('makes the slug from the name, and refuses one that is taken', async () => {
  const { body } = await create({ name: 'Größe & Co.' })
  expect((await show(body.id)).slug).toBe('grosse-co')
  const again = await create({ name: 'Größe & Co.' })
  expect([again.status, again.body.error.message]).toEqual([
    409,
    'slug "grosse-co" is taken by another campaign.',
  ])
})

it('opens a referral campaign with rewards for both sides', async () => {
  const rewards = { commission: '500 USD', referee_reward: '10%', credit: true, recurring_months: 0 }
  const { body } = await create({ slug: unique('refer'), program_type: 'referral', rewards })
  expect((await show(body.id)).rules).toMatchObject([
    { beneficiary: 'referee', entry_type: 'credit', rate_basis_points: 1000, recurring_months: 0 },
    { beneficiary: 'referrer', entry_type: 'credit', flat_minor: 500, flat_currency: 'USD' },
  ])
})

it('lists campaigns with their rules and how many are enrolled, filtered and by pages', async () => {
  const account = await buildAccount(scene.database)
  const person = await Person.join(scene.app, account.id, 'viewer')
  const [first, second] = [
    await buildCampaign(scene.database, account.id, { visibility: 'public' }),
    await buildCampaign(scene.database, account.id, { program_type: 'referral' }),
  ]
  await buildAffiliate(scene.database, account.id, first.id)
  await buildAffiliate(scene.database, account.id, first.id)
  const list = async (query: Record<string, unknown> = {}) =>
    (await person.call('listCampaigns', { query })).body as { data: CampaignSummary[]; next: number | null }
  const { data } = await list()
  expect(data.map(({ id, enrolled }) => [id, enrolled])).toEqual([
    [second.id, 0],
    [first.id, 2],
  ])
  expect(data[1]?.rules).toMatchObject([{ rate_basis_points: 2000, recurring_months: null }])
  const idsOf = async (query: Record<string, unknown>) => (await list(query)).data.map(({ id }) => id)
  expect(await idsOf({ visibility: 'public' })).toEqual([first.id])
  expect(await idsOf({ program_type: 'referral' })).toEqual([second.id])
  expect(await idsOf({ order: 'oldest' })).toEqual([first.id, second.id])
  const page = await list({ limit: 1 })
  expect(page.next).toBe(second.id)
  expect(await idsOf({ limit: 1, after: page.next })).toEqual([first.id])
})

describe('a change', () => {
  it('touches what it names and nothing else', async () => {
    const { id } = await openCampaign(scene.database, scene.account.id, {
      destination_url: 'https://a.example',
    })
    const before = await show(id)
    expect((await update(id, { name: 'Renamed', hold_days: 7 })).status).toBe(200)
    expect(await show(id)).toEqual({ ...before, name: 'Renamed', hold_days: 7 })
    const all = {
      visibility: 'public',
      attribution_model: 'first_click',
      attribution_window_days: 1,
      minimum_payout_minor: 1,
      open_enrollment: true,
      destination_url: null,
      review_referrals: true,
      look_back: false,
    }
    await update(id, all)
    const join_link = expect.stringContaining('/join/')
    expect(await show(id)).toEqual({ ...before, name: 'Renamed', hold_days: 7, ...all, join_link })
    const audit = (await admin.call('listAuditLog', { query: { action: 'campaign.update' } })).body.data
    expect(audit[0]).toMatchObject({ subject_id: id, details: all })
  })

  it('of the rules counts for sales from then on; what was earned keeps its version', async () => {
    const won = await winCustomer(scene)
    const before = await earnOne(scene, won, 10_000)
    await update(won.campaign.id, { rewards: { commission: '30%', recurring_months: null } })
    const after = await earnOne(scene, won, 10_000)
    const { rows } = await scene.database.owner.query(
      `SELECT s.external_id, c.amount_minor::integer AS amount_minor, c.rule_version FROM commissions c JOIN sales s ON s.id = c.sale_id
        WHERE c.referral_id = $1 ORDER BY c.id`,
      [won.referralId],
    )
    expect(rows).toEqual([
      { external_id: before.external_id, amount_minor: 2000, rule_version: 1 },
      { external_id: after.external_id, amount_minor: 3000, rule_version: 2 },
    ])
    const { rules, rule_versions } = await show(won.campaign.id)
    expect(rules).toMatchObject([{ rate_basis_points: 3000 }])
    expect(rule_versions.map(({ version, rules }) => [version, rules[0]?.rate_basis_points])).toEqual([
      [2, 3000],
      [1, 2000],
    ])
  })

  it('that says the rules in force makes no version', async () => {
    const { body } = await create({ slug: unique('same') })
    await update(body.id, { name: 'Other', rewards: wanted().rewards })
    expect((await show(body.id)).rule_versions).toHaveLength(1)
    await update(body.id, { rewards: { commission: '12.5%', recurring_months: null } })
    expect((await show(body.id)).rule_versions).toHaveLength(2)
  })

  it('made by two people at once gives two versions', async () => {
    const { id } = await openCampaign(scene.database, scene.account.id)
    const change = (percent: number) =>
      updateCampaign(
        scene.database.db,
        scene.account.id,
        id,
        {},
        {
          commission: `${percent}%`,
          recurringMonths: null,
        },
      )
    await Promise.all([1, 2, 3, 4, 5].map(change))
    expect((await show(id)).rule_versions.map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1])
  })
})

describe('refuses', () => {
  it.each([
    [{ rewards: { commission: 'a lot', recurring_months: null } }, 'commission must be a percentage'],
    [{ rewards: { commission: '0%', recurring_months: null } }, 'commission must be more than 0%'],
    [{ rewards: { commission: '5%' } }, 'rewards.recurring_months is required'],
    [{ rewards: { commission: '5%', recurring_months: 1201 } }, 'rewards.recurring_months must be from'],
    [
      { rewards: { commission: '5%', recurring_months: null, referee_reward: '5%' } },
      'commission cannot go to the referee in a campaign of type affiliate',
    ],
    [{ destination_url: 'javascript:alert(1)' }, 'destination_url must be an absolute'],
    [{ hold_days: -1 }, 'hold_days must be from 0 to 3650'],
    [{ attribution_window_days: 0 }, 'attribution_window_days must be from'],
    [{ name: '' }, 'name must have 1 to 255'],
    [{ minimum_payout_minor: 0.5 }, 'minimum_payout_minor must be an integer'],
  ])('%j', async (body, message) => {
    const { id } = await openCampaign(scene.database, scene.account.id)
    const before = await show(id)
    for (const answer of [await update(id, body), await create({ slug: unique('c'), ...body })])
      expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringContaining(message)])
    expect(await show(id)).toEqual(before)
  })

  it('changes of immutable fields (slug, type, currency), and an empty change', async () => {
    const { id } = await openCampaign(scene.database, scene.account.id)
    for (const body of [{ slug: 'x' }, { program_type: 'referral' }, { payout_currency: 'EUR' }, {}])
      expect((await update(id, body)).status).toBe(422)
    expect((await create({ payout_currency: 'XYZ' })).body.error.message).toContain('payout_currency must be')
  })

  it('read-only roles, and users of other accounts', async () => {
    const { id } = await openCampaign(scene.database, scene.account.id)
    for (const role of ['viewer', 'finance'] as const) {
      const person = await Person.join(scene.app, scene.account.id, role)
      expect((await person.call('getCampaign', { id })).status).toBe(200)
      expect((await create({}, person)).status).toBe(403)
      expect((await update(id, { name: 'x' }, person)).status).toBe(403)
    }
    const stranger = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
    expect((await stranger.call('getCampaign', { id })).status).toBe(404)
    expect((await update(id, { name: 'x' }, stranger)).status).toBe(404)
    expect((await stranger.at(scene.account.id).call('getCampaign', { id })).status).toBe(404)
  })
})
