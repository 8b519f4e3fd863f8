/** Protects both sides of a refund: its share is taken back once, whatever has become of the commission, and never more. */
import { describe, expect, it } from 'vitest'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import {
  commission,
  earnOne,
  entriesOf,
  pay,
  refund,
  short,
  useRate,
  type Won,
  winCustomer,
} from './scene.ts'

const scene = useOwnScene()
const held = { hold_days: 30 }
const giveBack = (sale_external_id: string, amount_minor?: number) =>
  refund(scene.api, {
    external_id: unique('refund'),
    sale_external_id,
    ...(amount_minor !== undefined && { amount_minor }),
  })
const ledger = async (won: Won) => (await entriesOf(scene, won.referralId)).map(short)
const balance = async (won: Won) =>
  (await balancesOf(scene.database.db, scene.account.id, won.affiliate.id))[0] ?? {
    balance_minor: 0,
    approved_minor: 0,
    pending_minor: 0,
  }

describe('a full refund', () => {
  it.each([[undefined], [10_000]])('voids a pending commission (amount %s)', async amount => {
    const won = await winCustomer(scene, held)
    const { external_id, entry } = await earnOne(scene, won)
    const { status, body } = await giveBack(external_id, amount)
    expect([status, body.commissions]).toEqual([201, [{ ...entry, status: 'void' }]])
    expect(await ledger(won)).toEqual([['earned', 2000, 'void']])
  })

  it.each([
    ['approved', 0],
    ['paid', -2000],
  ])('of a commission that is %s is a clawback, payable at once: then %i is owed', async (status, owed) => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won)
    if (status === 'paid') await pay(scene, won.campaign.id)
    const { body } = await giveBack(external_id)
    expect(body.commissions.map(short)).toEqual([['clawback', -2000, 'approved']])
    expect(await ledger(won)).toEqual([
      ['earned', 2000, status],
      ['clawback', -2000, 'approved'],
    ])
    expect((await balance(won)).balance_minor).toBe(owed)
  })
})

describe('a partial refund', () => {
  it('of a pending commission waits with it', async () => {
    const won = await winCustomer(scene, held)
    const { external_id, entry } = await earnOne(scene, won)
    const { body } = await giveBack(external_id, 2500)
    expect(body.commissions.map(short)).toEqual([['clawback', -500, 'pending']])
    expect(body.commissions[0]).toMatchObject({
      hold_until: entry.hold_until,
      referral_id: entry.referral_id,
    })
    expect((await commission(scene, entry.id)).status).toBe('pending')
  })

  it('repeated takes what one refund of the sum would, rounded on the total', async () => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won, 101)
    for (const amount of [33, 33, 34, 1]) expect((await giveBack(external_id, amount)).status).toBe(201)
    expect((await ledger(won)).slice(1)).toEqual([
      ['clawback', -7, 'approved'],
      ['clawback', -6, 'approved'],
      ['clawback', -7, 'approved'],
    ])
    expect((await balance(won)).balance_minor).toBe(0)
  })

  it('in another payout currency takes all of the payout amount in the end', async () => {
    await useRate(scene, 'JPY', 'KWD', '0.1')
    const won = await winCustomer(scene, { payout_currency: 'KWD' })
    const { external_id, entry } = await earnOne(scene, won, 5, { currency: 'JPY' })
    expect([entry.amount_minor, entry.payout_amount_minor]).toEqual([1, 100])
    for (const amount of [3, 2]) await giveBack(external_id, amount)
    expect((await balance(won)).balance_minor).toBe(0)
  })

  it('then the rest voids nothing twice, and nets to nothing', async () => {
    const won = await winCustomer(scene, held)
    const { external_id } = await earnOne(scene, won)
    await giveBack(external_id, 2500)
    expect((await giveBack(external_id)).body.commissions.map(short)).toEqual([
      ['clawback', -1500, 'pending'],
    ])
    expect((await balance(won)).balance_minor).toBe(0)
  })
})

describe('an entry and what was taken back of it stay together', () => {
  async function partlyRefunded() {
    const won = await winCustomer(scene, held)
    const { external_id, entry } = await earnOne(scene, won)
    await giveBack(external_id, 2500)
    return { won, entry }
  }

  it('a void commission leaves no debt behind', async () => {
    const { won, entry } = await partlyRefunded()
    expect((await scene.api.patch(`/commissions/${entry.id}`, { status: 'void' })).status).toBe(200)
    expect((await balance(won)).balance_minor).toBe(0)
  })

  it('an approved commission is payable less what was refunded', async () => {
    const { won, entry } = await partlyRefunded()
    await scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })
    expect(await balance(won)).toMatchObject({ approved_minor: 1500, pending_minor: 0 })
  })

  it('a rejected referral leaves nothing pending', async () => {
    const { won } = await partlyRefunded()
    await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected')
    expect((await balance(won)).balance_minor).toBe(0)
    expect((await ledger(won)).filter(([, , status]) => status === 'pending')).toEqual([])
  })
})

describe('a rejected referral pays nothing, whatever is done to its entries', () => {
  const reject = (won: Won) => reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected')
  async function partlyRefunded() {
    const won = await winCustomer(scene, held)
    const { external_id, entry } = await earnOne(scene, won)
    const clawbackId: number = (await giveBack(external_id, 2500)).body.commissions[0].id
    return { won, entry, clawbackId }
  }

  it('after it, its entry cannot become payable alone', async () => {
    const { won, entry } = await partlyRefunded()
    await reject(won)
    await scene.api.patch(`/commissions/${entry.id}`, { status: 'approved' })
    expect((await balance(won)).approved_minor).toBe(0)
  })

  it('before it, a clawback that a user voided does not count', async () => {
    const { won, clawbackId } = await partlyRefunded()
    await scene.api.patch(`/commissions/${clawbackId}`, { status: 'void' })
    await reject(won)
    expect((await balance(won)).balance_minor).toBe(0)
  })
})

describe('refused', () => {
  it('422 for more than is left, 422 for an unknown sale, and nothing changes', async () => {
    const won = await winCustomer(scene)
    const { external_id } = await earnOne(scene, won)
    await giveBack(external_id, 6000)
    const over = await giveBack(external_id, 4001)
    expect([over.status, over.body.error.code]).toEqual([422, 'validation_failed'])
    expect(over.body.error.message).toContain('amount_minor')
    const unknown = await giveBack('no such sale')
    expect([unknown.status, unknown.body.error.message]).toEqual([
      422,
      expect.stringContaining('sale_external_id'),
    ])
    expect((await giveBack(external_id, 4000)).status).toBe(201)
    expect((await giveBack(external_id)).status).toBe(422)
    expect((await balance(won)).balance_minor).toBe(0)
  })

  it('409 for an external_id that names another refund', async () => {
    const won = await winCustomer(scene)
    const [one, two] = [await earnOne(scene, won), await earnOne(scene, won)]
    const body = { external_id: unique('refund'), sale_external_id: one.external_id, amount_minor: 100 }
    await refund(scene.api, body)
    for (const change of [{ amount_minor: 101 }, { sale_external_id: two.external_id }])
      expect((await refund(scene.api, { ...body, ...change })).status).toBe(409)
    expect((await ledger(won)).filter(([type]) => type === 'clawback')).toEqual([
      ['clawback', -20, 'approved'],
    ])
  })
})

it.each([
  ['a void', held, undefined],
  ['a clawback', {}, 5000],
])('%s reported again is the same answer, and takes nothing more', async (_what, terms, amount_minor) => {
  const won = await winCustomer(scene, terms)
  const { external_id } = await earnOne(scene, won)
  const body = {
    external_id: unique('refund'),
    sale_external_id: external_id,
    ...(amount_minor && { amount_minor }),
  }
  const [first, again] = [await refund(scene.api, body), await refund(scene.api, body)]
  expect([first.status, again.status, again.body]).toEqual([201, 200, first.body])
  expect(first.body.commissions).toHaveLength(1)
})

it('a refund of a sale that earned nothing takes nothing', async () => {
  const external_id = unique('sale')
  await scene.api.post('/ingest/v1/sales', {
    customer_ref: unique('c'),
    external_id,
    amount_minor: 10,
    currency: 'USD',
  })
  const { status, body } = await giveBack(external_id)
  expect([status, body]).toEqual([201, { commissions: [] }])
})

it('all of it leaves the ledger whole', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
