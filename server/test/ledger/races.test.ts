/** Protects exactly-once (row 10): however often and however many at once report the same, there is one of everything. */
import { expect, it } from 'vitest'
import { reportMeasurement, sized } from '../../../testing/size.ts'
import { reportSale } from '../../src/earning/sales/report-sale.ts'
import { type Answer, untilTaken } from '../client.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import {
  approvedAffiliate,
  convert,
  countRows,
  earnOne,
  entriesOf,
  openCampaign,
  refund,
  sell,
  short,
  winCustomer,
} from './scene.ts'

const TIMES = sized(300, 1000)
const CONCURRENCY = 50
const scene = useSoundScene()

/** So many times, never more at once than the row says. */
async function repeat(times: number, report: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  let left = times
  const worker = async () => {
    while (left-- > 0) answers.push(await untilTaken(report))
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, times) }, worker))
  return answers
}

function expectOnce(what: string, answers: Answer[]): Answer {
  const created = answers.filter(({ status }) => status === 201)
  reportMeasurement({
    row: 10,
    what: `of ${answers.length} reports of a ${what} were carried out`,
    value: created.length,
    bar: '1',
    holds: created.length === 1,
  })
  expect(answers.filter(({ status }) => status !== 200 && status !== 201).map(({ text }) => text)).toEqual([])
  expect(created).toHaveLength(1)
  for (const { body } of answers) expect(body).toEqual(created[0]?.body)
  return created[0] as Answer
}

const events = (kind: string, id: number) =>
  countRows(scene, 'events', 'kind = $1 AND subject_id = $2', [kind, id])

it(`one conversion with its sale, ${TIMES} times at concurrency ${CONCURRENCY}: 1 referral, 1 commission, 1 event of each`, async () => {
  const campaign = await openCampaign(scene.database, scene.account.id)
  const { token } = await approvedAffiliate(scene, campaign.id)
  const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
  const body = { campaign_id: campaign.id, customer_ref: unique('customer'), token, sale }
  const { referral, commissions } = expectOnce(
    'conversion',
    await repeat(TIMES, () => convert(scene.api, body)),
  ).body
  expect(await countRows(scene, 'referrals', 'campaign_id = $1', [campaign.id])).toBe(1)
  expect((await entriesOf(scene, referral.id)).map(short)).toEqual([['earned', 2000, 'approved']])
  expect([
    await events('conversion.created', referral.id),
    await events('commission.created', commissions[0].id),
  ]).toEqual([1, 1])
})

it(`one sale, ${TIMES} times: 1 commission, 1 event`, async () => {
  const { customer_ref, referralId } = await winCustomer(scene)
  const body = { customer_ref, external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
  const { commissions } = expectOnce('sale', await repeat(TIMES, () => sell(scene.api, body))).body
  expect(await entriesOf(scene, referralId)).toEqual(commissions)
  expect(await events('commission.created', commissions[0].id)).toBe(1)
})

it(`one refund, ${TIMES} times: 1 clawback, 1 event`, async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won)
  const body = { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 2500 }
  const { commissions } = expectOnce('refund', await repeat(TIMES, () => refund(scene.api, body))).body
  expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([
    ['earned', 2000, 'approved'],
    ['clawback', -500, 'approved'],
  ])
  expect(await events('commission.created', commissions[0].id)).toBe(1)
})

it('different refunds of one sale at once never exceed it', async () => {
  const won = await winCustomer(scene)
  const { external_id } = await earnOne(scene, won, 1000)
  const answers = await repeat(40, () =>
    refund(scene.api, { external_id: unique('refund'), sale_external_id: external_id, amount_minor: 70 }),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(14)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(26)
  const left = (await entriesOf(scene, won.referralId)).reduce((sum, entry) => sum + entry.amount_minor, 0)
  expect(left).toBe(4)
})

it('one external id for two customers at once is one sale; the other is refused', async () => {
  const [a, b] = [await winCustomer(scene), await winCustomer(scene)]
  const external_id = unique('sale')
  const report = ({ customer_ref }: { customer_ref: string }) =>
    sell(scene.api, { customer_ref, external_id, amount_minor: 10_000, currency: 'USD' })
  const answers = await Promise.all([report(a), report(b)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  expect([...(await entriesOf(scene, a.referralId)), ...(await entriesOf(scene, b.referralId))]).toHaveLength(
    1,
  )
})

it.each([
  ['a conversion', {}],
  ['a conversion with an Idempotency-Key', { headers: { 'idempotency-key': unique('key') } }],
])(
  '%s whose sale a report for another customer takes meanwhile is refused, and leaves nothing',
  async (_what, options) => {
    const first = await winCustomer(scene)
    const campaign = await openCampaign(scene.database, scene.account.id)
    const { token } = await approvedAffiliate(scene, campaign.id)
    const sale = { external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
    const body = { campaign_id: campaign.id, customer_ref: unique('customer'), token, sale }
    const events = await countRows(scene, 'events', 'account_id = $1', [scene.account.id])
    const answer = await whileHeld(
      scene.database,
      tx => reportSale(tx, scene.account.id, { ...sale, customer_ref: first.customer_ref }),
      () => convert(scene.api, body, options),
    )
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
    for (const table of ['referrals', 'conversions', 'commissions'])
      expect([table, await countRows(scene, table, 'campaign_id = $1', [campaign.id])]).toEqual([table, 0])
    expect(await countRows(scene, 'events', 'account_id = $1', [scene.account.id])).toBe(events + 1)
    const own = { ...body, sale: { ...sale, external_id: unique('sale') } }
    expect((await convert(scene.api, own)).status).toBe(201)
  },
)

it('20 in parallel with one Idempotency-Key are carried out once', async () => {
  const { customer_ref, referralId } = await winCustomer(scene)
  const options = { headers: { 'idempotency-key': unique('key') } }
  const body = { customer_ref, external_id: unique('sale'), amount_minor: 10_000, currency: 'USD' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => sell(scene.api, body, options)))
  const done = answers.filter(({ status }) => status === 201)
  expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  for (const { status, body: refused } of answers)
    if (status !== 201) expect(refused.error.code).toBe('conflict')
  expect(await entriesOf(scene, referralId)).toHaveLength(1)
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
