/** Protects paying from the dashboard: what was looked at is what is made into a payout, by those who may, with who it was. */
import type { DashboardRouteId, PreviewRow } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { buildAccount } from '../factories.ts'
import { brokenInvariants } from '../harness.ts'
import { approvedAffiliate, openCampaign } from '../ledger/scene.ts'
import { create, owe, owed, written } from '../payouts/ground.ts'
import { usePayouts } from './payout-scene.ts'
import { Person } from './person.ts'

const scene = usePayouts()

const dryRun = (query: object = {}) =>
  scene.ask('previewPayout', { query: { campaign_id: scene.campaign.id, rail: 'manual', ...query } })

it('the list filters, pages in both directions, and can be taken away as a file', async () => {
  const { campaign } = scene
  const { id: first } = await scene.payoutOf([6000])
  await scene.ask('exportPayout', { id: first, body: { format: 'bank' } })
  const { id: second } = await scene.payoutOf([6000], 'paypal')
  const { id: third } = await scene.payoutOf([3000, 3000])
  const other = await openCampaign(scene.database, scene.account.id)
  await owed(scene, other, [6000])
  await create(scene, other)
  const listed = async (query: object) => {
    const { data, next } = await scene.ask('listPayouts', { query: { campaign_id: campaign.id, ...query } })
    return [data.map(({ id }: { id: number }) => id), next]
  }
  expect(await listed({})).toEqual([[third, second, first], null])
  expect(await listed({ limit: 2 })).toEqual([[third, second], second])
  expect(await listed({ limit: 2, after: second })).toEqual([[first], null])
  expect(await listed({ order: 'oldest', limit: 1, after: first })).toEqual([[second], second])
  expect(await listed({ status: 'pending' })).toEqual([[third, second], null])
  expect(await listed({ rail: 'paypal' })).toEqual([[second], null])
  const { data } = await scene.ask('listPayouts', { query: { limit: 2 } })
  expect(data).toMatchObject([
    { campaign_name: 'Programme', item_count: 1 },
    { campaign_name: campaign.name, item_count: 2, total_minor: 6000, status: 'pending', rail: 'manual' },
  ])
  const query = { campaign_id: campaign.id, order: 'oldest' }
  const file = await scene.viewer.call('exportPayouts', { query })
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="payouts.csv"')
  expect(file.text.split('\r\n').map(line => line.split(',')[0])).toEqual([
    'payout',
    ...[first, second, third].map(String),
    '',
  ])
})

describe('a dry run', () => {
  it('shows everybody with what they get or why nothing, a page at a time, and changes nothing', async () => {
    const rich = await owed(scene, scene.campaign, [3000, 500])
    const poor = await owed(scene, scene.campaign, [999])
    const debtor = await owed(scene, scene.campaign, [-200])
    const nameless = await owed(scene, scene.campaign, [5000], { paypal_email: null })
    const before = await written(scene, scene.account.id)
    const { data, ...head } = await dryRun({ rail: 'paypal' })
    expect(head).toMatchObject({
      campaign_id: scene.campaign.id,
      currency: 'USD',
      minimum_payout_minor: 1000,
      items: 1,
      total_minor: 3500,
      excluded: { below_minimum: 1, negative_balance: 1, no_payout_address: 1 },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      has_paypal: false,
      next: null,
    })
    expect(data).toMatchObject([
      {
        id: rich.id,
        email: rich.email,
        item: { amount_minor: 3500, entries: 2, payout_address: rich.paypal_email },
        reason: null,
      },
      { id: poor.id, item: null, reason: 'below_minimum', balance_minor: 999 },
      { id: debtor.id, item: null, reason: 'negative_balance', balance_minor: -200 },
      { id: nameless.id, item: null, reason: 'no_payout_address', payable_minor: 5000 },
    ])
    const shown = async (query: object) => {
      const page = await dryRun({ rail: 'paypal', cut_off: head.cut_off, ...query })
      expect(page.digest).toBe(head.digest)
      return [page.data.map(({ id }: PreviewRow) => id), page.next]
    }
    expect(await shown({ only: 'paid' })).toEqual([[rich.id], null])
    expect(await shown({ only: 'excluded', limit: 2 })).toEqual([[poor.id, debtor.id], debtor.id])
    expect(await shown({ only: 'excluded', limit: 2, after: debtor.id })).toEqual([[nameless.id], null])
    expect(await shown({ reason: 'negative_balance' })).toEqual([[debtor.id], null])
    expect(await shown({ limit: 4 })).toMatchObject([{ length: 4 }, null])
    expect(await written(scene, scene.account.id)).toEqual(before)
  })

  it('says why PayPal cannot be used', async () => {
    const exact = await openCampaign(scene.database, scene.account.id, { payout_currency: 'HUF' })
    const query = { campaign_id: exact.id, rail: 'paypal' }
    expect(await scene.finance.call('previewPayout', { query })).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('use the manual rail') } },
    })
  })
})

it('affiliates who are not approved are excluded, with that reason', async () => {
  const affiliate = await approvedAffiliate(scene, scene.campaign.id)
  await owe(scene, scene.campaign, affiliate, 2000)
  await scene.database.owner.query("UPDATE affiliates SET status = 'rejected' WHERE id = $1", [affiliate.id])
  expect((await dryRun({ only: 'excluded' })).data).toMatchObject([{ reason: 'not_approved' }])
})

describe('creating', () => {
  const creating = (more: object) =>
    scene.finance.call('createPayout', { body: { campaign_id: scene.campaign.id, rail: 'manual', ...more } })

  it('makes exactly what was looked at, whatever has been earned since', async () => {
    const affiliate = await owed(scene, scene.campaign, [2000])
    const { digest, cut_off } = await dryRun()
    await owe(scene, scene.campaign, affiliate, 700)
    const { status, body } = await creating({ digest, cut_off })
    expect([status, body]).toEqual([200, { id: expect.any(Number), items: 1, total_minor: 2000 }])
    expect(await scene.ask('getPayout', { id: body.id })).toMatchObject({
      status: 'pending',
      campaign_name: scene.campaign.name,
      digest,
      cut_off,
      minimum_payout_minor: 1000,
      item_count: 1,
      counts: [{ status: 'pending', items: 1, amount_minor: 2000 }],
      unbooked: 0,
      by_hand: 1,
      submissions: [],
    })
    expect(await scene.audited(body.id)).toMatchObject([
      {
        action: 'payout.create',
        actor_kind: 'user',
        actor_name: scene.finance.email,
        address: '127.0.0.1',
        details: { campaign_id: scene.campaign.id, rail: 'manual', digest },
      },
    ])
  })

  it('makes nothing where the content has changed, or where nothing is left', async () => {
    const affiliate = await owed(scene, scene.campaign, [2000])
    const { digest, cut_off } = await dryRun()
    await owe(scene, scene.campaign, affiliate, -1)
    expect(await creating({ digest, cut_off })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    })
    const now = await dryRun()
    expect((await creating({ digest: now.digest, cut_off: now.cut_off })).status).toBe(200)
    expect(await creating({ digest: now.digest })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    })
  })
})

describe('who may', () => {
  const changes: [DashboardRouteId, object][] = [
    ['createPayout', { campaign_id: 1, rail: 'manual', digest: '0'.repeat(64) }],
    ['payPayout', { expected: 1 }],
    ['failPayout', { expected: 1, reason: 'Closed' }],
    ['cancelPayout', {}],
    ['exportPayout', { format: 'bank' }],
  ]
  const reads: DashboardRouteId[] = [
    'listPayouts',
    'exportPayouts',
    'getPayout',
    'listPayoutItems',
    'exportPayoutItems',
  ]

  it('a viewer looks and changes nothing', async () => {
    const { id } = await scene.payoutOf([2000])
    const before = await written(scene, scene.account.id)
    for (const route of reads)
      expect([route, (await scene.viewer.call(route, { id })).status]).toEqual([route, 200])
    const query = { campaign_id: scene.campaign.id, rail: 'manual' }
    expect((await scene.viewer.call('previewPayout', { query })).status).toBe(200)
    for (const [route, body] of changes)
      expect([route, (await scene.viewer.call(route, { id, body })).status]).toEqual([route, 403])
    expect(await written(scene, scene.account.id)).toEqual(before)
    expect(await scene.audited(id)).toEqual([])
  })

  it('an admin pays', async () => {
    const { id } = await scene.payoutOf([2000])
    const admin = await Person.join(scene.app, scene.account.id, 'admin')
    expect(await scene.ask('payPayout', { id, body: { expected: 1 } }, admin)).toEqual({ items: 1 })
    await scene.book()
  })

  it('not users of other accounts: neither the account nor its contents can be found', async () => {
    const { id, itemIds } = await scene.payoutOf([2000])
    const elsewhere = await buildAccount(scene.database)
    const stranger = await Person.join(scene.app, elsewhere.id, 'owner')
    const before = await written(scene, scene.account.id)
    const query = { campaign_id: scene.campaign.id, rail: 'manual' }
    for (const person of [stranger, stranger.at(scene.account.id)]) {
      for (const route of reads.slice(2))
        expect([route, (await person.call(route, { id })).status]).toEqual([route, 404])
      expect((await person.call('previewPayout', { query })).status).toBe(404)
      const own = { campaign_id: scene.campaign.id, rail: 'manual', digest: '0'.repeat(64) }
      for (const [route, body] of changes)
        expect([
          route,
          (await person.call(route, { id, body: route === 'createPayout' ? own : body })).status,
        ]).toEqual([route, 404])
      const item = { item_id: itemIds[0] }
      expect((await person.call('cancelPayout', { id, body: item })).status).toBe(404)
    }
    expect((await scene.ask('listPayouts', {}, stranger)).data).toEqual([])
    expect(await written(scene, scene.account.id)).toEqual(before)
  })
})

describe('what is refused by name', () => {
  const run = { campaign_id: 1, rail: 'manual' }
  const queries: [DashboardRouteId, object, string][] = [
    ['listPayouts', { status: 'lost' }, 'status'],
    ['listPayouts', { limit: 0 }, 'limit'],
    ['previewPayout', { rail: 'manual' }, 'campaign_id'],
    ['previewPayout', { ...run, rail: 'gold' }, 'rail'],
    ['previewPayout', { ...run, cut_off: 'yesterday' }, 'cut_off'],
    ['previewPayout', { ...run, only: 'some' }, 'only'],
    ['previewPayout', { ...run, reason: 'mood' }, 'reason'],
    ['previewPayout', { ...run, digest: 'x' }, 'digest'],
    ['listPayoutItems', { status: 'partially_paid' }, 'status'],
  ]
  const bodies: [DashboardRouteId, object, string][] = [
    ['createPayout', run, 'digest'],
    ['createPayout', { ...run, digest: 'ABC' }, 'digest'],
    ['payPayout', { item_ids: [] }, 'item_ids'],
    ['payPayout', { reference: '' }, 'reference'],
    ['failPayout', {}, 'reason'],
    ['failPayout', { reason: 'a\0b' }, 'reason'],
    ['cancelPayout', { item_id: 'all' }, 'item_id'],
    ['exportPayout', { format: 'pdf' }, 'format'],
    ['exportPayout', {}, 'format'],
  ]
  it.each([
    ...queries.map(([route, query, field]) => [route, field, { query }] as const),
    ...bodies.map(([route, body, field]) => [route, field, { body }] as const),
  ])('%s: %s', async (route, field, input) => {
    const answer = await scene.finance.call(route, { id: 1, ...input })
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed'])
    expect(answer.body.error.message).toMatch(new RegExp(`^${field}`))
  })

  it('a payout that does not exist is not found', async () => {
    for (const id of [999_999, 'x']) expect((await scene.finance.call('getPayout', { id })).status).toBe(404)
  })
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
