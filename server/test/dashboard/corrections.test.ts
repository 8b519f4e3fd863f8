/**
 * Corrections by a person have the effects of a report: a sale or refund recorded manually goes through the use cases of the ingest API, and
 * an approved commission is voided by a compensating entry, unless a payout has it.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useSoundScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { earnOne, entriesOf, pay, refund, sell, short, winCustomer } from '../ledger/scene.ts'
import { PortalBrowser } from '../portal/affiliate.ts'
import { Person } from './person.ts'

const scene = useSoundScene()
let finance: Person
let admin: Person
let viewer: Person
beforeAll(async () => {
  finance = await Person.join(scene.app, scene.account.id, 'finance')
  admin = await Person.join(scene.app, scene.account.id, 'admin')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
})
const sound = async () => expect(await brokenInvariants(scene.database)).toEqual([])
const record = (id: number, body: Record<string, unknown>, person = finance) =>
  person.call('recordSale', { id, body })
const saleOf = (amount_minor = 10_000) => ({ external_id: unique('manual'), amount_minor, currency: 'USD' })

describe('a sale recorded manually', () => {
  it('earns as a reported one, once, however often it is recorded or reported', async () => {
    const won = await winCustomer(scene)
    const sale = saleOf()
    const made = await record(won.referralId, sale)
    expect([made.status, made.body]).toEqual([200, { created: true, commissions: 1, waiting_for: null }])
    expect((await record(won.referralId, sale)).body).toEqual({
      created: false,
      commissions: 1,
      waiting_for: null,
    })
    expect((await sell(scene.api, { ...sale, customer_ref: won.customer_ref })).status).toBe(200)
    expect((await record(won.referralId, { ...sale, amount_minor: 1 })).status).toBe(409)
    expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([['earned', 2000, 'approved']])
    const { data } = (await admin.call('listAuditLog', { query: { action: 'referral.record_sale' } })).body
    expect(data[0]).toMatchObject({ subject_id: won.referralId, actor_name: finance.email })
    await sound()
  })

  it('is recorded by people who may move money, for a referral of their account', async () => {
    const { referralId } = await winCustomer(scene)
    expect((await record(referralId, saleOf(), viewer)).status).toBe(403)
    expect((await record(referralId + 1_000_000, saleOf())).status).toBe(404)
    expect((await record(referralId, { ...saleOf(), currency: 'XXQ' })).status).toBe(422)
  })
})

describe('a refund recorded manually', () => {
  it('takes back its share, is recorded once, and never exceeds the sale', async () => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won)
    const [sale] = (await finance.call('getReferral', { id: won.referralId })).body.sales
    const refundBy = (body: object, person = finance) =>
      person.call('recordRefund', { id: won.referralId, body: { sale_id: sale.id, ...body } })
    const part = { external_id: unique('refund'), amount_minor: 2500 }
    expect((await refundBy(part)).body).toEqual({ created: true, commissions: 1 })
    expect((await refundBy(part)).body).toEqual({ created: false, commissions: 1 })
    expect((await refundBy({ external_id: unique('refund'), amount_minor: 7501 })).status).toBe(422)
    // The rest, as the ingest API reports it.
    expect(
      (await refund(scene.api, { external_id: unique('refund'), sale_external_id: external_id })).status,
    ).toBe(201)
    expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -500, 'approved'],
      ['clawback', -1500, 'approved'],
    ])
    expect((await refundBy(part, viewer)).status).toBe(403)
    const { data } = (await admin.call('listAuditLog', { query: { action: 'referral.record_refund' } })).body
    expect(data[0]).toMatchObject({
      subject_id: won.referralId,
      details: { ...part, currency: 'USD' },
    })
    const other = await winCustomer(scene)
    const elsewhere = await finance.call('recordRefund', {
      id: other.referralId,
      body: { sale_id: sale.id, ...part },
    })
    expect(elsewhere.status).toBe(404)
    await sound()
  })
})

describe('voiding an approved commission', () => {
  const voids = (ids: number[], extra: object = {}, person = finance) =>
    person.call('reviewCommissions', { body: { ids, status: 'void', ...extra } })
  const refusedBy = async (id: number) => {
    const { body } = await voids([id])
    return [body.done, body.refused[0]?.message]
  }

  it('claws it back in full, and neither a refund nor a rejection takes it again', async () => {
    const won = await winCustomer(scene)
    const { entry, external_id } = await earnOne(scene, won)
    await refund(scene.api, {
      external_id: unique('refund'),
      sale_external_id: external_id,
      amount_minor: 1000,
    })
    expect((await scene.api.patch(`/commissions/${entry.id}`, { status: 'void' })).status).toBe(409)
    expect((await voids([entry.id], { reason: 'Own order', share_reason: true })).body).toEqual({
      done: 1,
      refused: [],
    })
    const lines = [
      ['earned', 2000, 'approved'],
      ['clawback', -200, 'approved'],
      ['clawback', -1800, 'approved'],
    ]
    const entries = await entriesOf(scene, won.referralId)
    expect(entries.map(short)).toEqual(lines)
    expect(entries.at(-1)?.description).toBe('Commission voided: Own order')
    // Customers are masked, and so are the IDs of sales and refunds: the reason is neither.
    const portal = await PortalBrowser.signIn(scene, won.affiliate.id)
    const descriptions = ['Commission voided: Own order', null, null]
    const describe = (rows: { description: string | null }[]) => rows.map(({ description }) => description)
    expect(describe((await portal.ask('listCommissions')).data)).toEqual(descriptions)
    expect(describe((await portal.ask('getReferral', { id: won.referralId })).commissions)).toEqual(
      descriptions,
    )
    const { text } = await portal.call('downloadStatement')
    expect(text).toContain('Commission voided: Own order')
    expect(text).not.toContain(external_id)
    await refund(scene.api, { external_id: unique('refund'), sale_external_id: external_id })
    await admin.call('reviewReferrals', { body: { ids: [won.referralId], status: 'rejected' } })
    expect((await entriesOf(scene, won.referralId)).map(short)).toEqual(lines)
    expect(await refusedBy(entry.id)).toEqual([0, 'The commission has been clawed back in full already.'])
    await sound()
  })

  it('keeps the reason to the team unless it is shared', async () => {
    const won = await winCustomer(scene)
    const { entry } = await earnOne(scene, won)
    await voids([entry.id], { reason: 'Suspicious' })
    expect((await entriesOf(scene, won.referralId)).at(-1)?.description).toBe('Commission voided')
    const portal = await PortalBrowser.signIn(scene, won.affiliate.id)
    expect((await portal.ask('listCommissions')).data[0].description).toBe('Commission voided')
    expect((await portal.call('downloadStatement')).text).not.toContain('Suspicious')
    const { data } = (await admin.call('listAuditLog', { query: { action: 'commission.review' } })).body
    expect(data[0].details).toMatchObject({ reason: 'Suspicious' })
  })

  it('is refused while a payout has it, and once it is paid; each row says why', async () => {
    const won = await winCustomer(scene)
    const { entry: paid } = await earnOne(scene, won)
    await pay(scene, won.campaign.id)
    const { entry: pinned } = await earnOne(scene, won)
    const { id } = await createPayout(scene.database.db, scene.account.id, {
      campaignId: won.campaign.id,
      rail: 'manual',
    })
    const { entry: free } = await earnOne(scene, won)
    expect((await voids([paid.id, pinned.id, free.id])).body).toEqual({
      done: 1,
      refused: [
        { id: paid.id, message: "The commission is paid and can't be voided. Adjust the balance instead." },
        {
          id: pinned.id,
          message: `The commission is in payout ${id}. Cancel that payout first, or adjust the balance after it.`,
        },
      ],
    })
    const { data } = (await finance.call('listCommissions', { query: { referral_id: won.referralId } })).body
    const payoutOf = Object.fromEntries(
      data.map((row: { id: number; payout_id: number }) => [row.id, row.payout_id]),
    )
    expect([payoutOf[pinned.id], payoutOf[free.id]]).toEqual([id, null])
    await sound()
  })

  it('waits for a payout that is being created, and then finds it in there', async () => {
    const won = await winCustomer(scene)
    const { entry } = await earnOne(scene, won)
    const { body } = await whileHeld(
      scene.database,
      tx => createPayout(tx, scene.account.id, { campaignId: won.campaign.id, rail: 'manual' }),
      () => voids([entry.id]),
    )
    expect(body).toMatchObject({
      done: 0,
      refused: [{ message: expect.stringMatching(/^The commission is in payout/) }],
    })
    await sound()
  })

  it('happens once when two people press the button at once', async () => {
    const won = await winCustomer(scene)
    const { entry } = await earnOne(scene, won)
    const answers = await Promise.all([voids([entry.id]), voids([entry.id], {}, admin), voids([entry.id])])
    expect(answers.map(({ body }) => body.done).toSorted()).toEqual([0, 0, 1])
    expect((await entriesOf(scene, won.referralId)).map(short)).toEqual([
      ['earned', 2000, 'approved'],
      ['clawback', -2000, 'approved'],
    ])
    await sound()
  })
})

it.each([true, false])(
  'the reason of a rejection is shown to the affiliate if that is wanted: %s',
  async share_reason => {
    const won = await winCustomer(scene)
    await admin.call('reviewReferrals', {
      body: { ids: [won.referralId], status: 'rejected', reason: 'Self-referral', share_reason },
    })
    expect((await admin.call('getReferral', { id: won.referralId })).body).toMatchObject({
      status: 'rejected',
      rejection: { reason: 'Self-referral', is_shared: share_reason },
    })
    const portal = await PortalBrowser.signIn(scene, won.affiliate.id)
    const { body } = await portal.call('getReferral', { id: won.referralId })
    expect(body.rejection_reason).toBe(share_reason ? 'Self-referral' : null)
  },
)
