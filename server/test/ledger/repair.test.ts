/** Protects databases that races of earlier versions damaged: the doctor names each case, and the repair mends it by new entries. */
import { describe, expect, it } from 'vitest'
import { reportRefund } from '../../src/earning/refunds/report-refund.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { findDamagedEntries, repairEntry } from '../../src/runtime/installation/repair-ledger.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { whileHeld } from '../interleave.ts'
import { writeDamage } from './damage.ts'
import { earnOne, entriesOf, pay, refund, short, type Terms, winCustomer } from './scene.ts'

const scene = useOwnScene()

const damage = (text: string, ...values: unknown[]) => writeDamage(scene.database, text, values)
const setStatus = (id: number | undefined, status: string) =>
  damage('UPDATE commissions SET status = $2 WHERE id = $1', id, status)

const repair = async () => {
  for (const entry of await findDamagedEntries(scene.database.db))
    await scene.database.db.transaction(tx => repairEntry(tx, entry))
}

async function sold(terms: Terms = { hold_days: 30 }) {
  const won = await winCustomer(scene, terms)
  const { external_id, entry } = await earnOne(scene, won)
  const giveBack = async (amount_minor: number) =>
    (await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor })).body
      .commissions[0]?.id as number
  /** A refund that was kept and took nothing back, as before a sale's adoption. */
  const loseRefund = (amount: number) =>
    damage(
      `INSERT INTO refunds (account_id, external_id, sale_id, amount_minor, occurred_at)
       SELECT account_id, 'lost-' || external_id, id, $2::bigint, now() FROM sales WHERE external_id = $1`,
      external_id,
      amount,
    )
  const ledger = async () => (await entriesOf(scene, won.referralId)).map(short)
  const owed = async () =>
    (await balancesOf(scene.database.db, scene.account.id, won.affiliate.id))[0]?.balance_minor ?? 0
  return { won, entry, external_id, giveBack, loseRefund, ledger, owed }
}
type Sold = Awaited<ReturnType<typeof sold>>

describe('what the doctor finds, and what a repair makes of it', () => {
  it.each<[string, RegExp, Terms, (sale: Sold) => Promise<unknown>, unknown[][], number]>([
    [
      'a void entry whose clawback stayed pending',
      /is void, but its clawbacks still add up to -1000/,
      { hold_days: 30 },
      async ({ entry, giveBack }) => [await giveBack(5000), await setStatus(entry.id, 'void')],
      [
        ['earned', 2000, 'void'],
        ['clawback', -1000, 'void'],
      ],
      0,
    ],
    [
      'a void entry whose clawback was released by its hold',
      /is void, but its clawbacks still add up to -1000/,
      { hold_days: 30 },
      async ({ entry, giveBack }) => {
        await setStatus(await giveBack(5000), 'approved')
        await setStatus(entry.id, 'void')
      },
      [
        ['earned', 2000, 'void'],
        ['clawback', -1000, 'approved'],
        ['adjustment', 1000, 'approved'],
      ],
      0,
    ],
    [
      'an approved entry whose clawback stayed pending',
      /clawback \d+ of account \d+ is pending, but its entry is approved/,
      { hold_days: 30 },
      async ({ entry, giveBack }) => [await giveBack(5000), await setStatus(entry.id, 'approved')],
      [
        ['earned', 2000, 'approved'],
        ['clawback', -1000, 'approved'],
      ],
      1000,
    ],
    [
      'an adopted sale whose refund was lost',
      /the refunds of sale sale-\S+ should claw back 2000, but 0 was clawed back/,
      {},
      ({ loseRefund }) => loseRefund(10_000),
      [
        ['earned', 2000, 'approved'],
        ['clawback', -2000, 'approved'],
      ],
      0,
    ],
    [
      'one that was paid meanwhile: the debt is carried forward',
      /should claw back 2000, but 0 was clawed back/,
      {},
      async ({ won, loseRefund }) => [await pay(scene, won.campaign.id), await loseRefund(10_000)],
      [
        ['earned', 2000, 'paid'],
        ['clawback', -2000, 'approved'],
      ],
      -2000,
    ],
    [
      'one that is still pending and was refunded in full',
      /should claw back 2000, but 0 was clawed back/,
      { hold_days: 30 },
      ({ loseRefund }) => loseRefund(10_000),
      [['earned', 2000, 'void']],
      0,
    ],
    [
      'one of which a later refund took its own share',
      /should claw back 1500, but 500 was clawed back/,
      {},
      async ({ giveBack, loseRefund }) => [await giveBack(2500), await loseRefund(5000)],
      [
        ['earned', 2000, 'approved'],
        ['clawback', -500, 'approved'],
        ['clawback', -1000, 'approved'],
      ],
      500,
    ],
    [
      'a rejected referral that hangs pending beside a clawback settled alone',
      /is pending, but its referral is rejected/,
      { hold_days: 30 },
      async ({ won, giveBack }) => {
        await setStatus(await giveBack(5000), 'approved')
        await giveBack(5000)
        await damage(`UPDATE referrals SET status = 'rejected' WHERE id = $1`, won.referralId)
      },
      [
        ['earned', 2000, 'void'],
        ['clawback', -1000, 'approved'],
        ['clawback', -1000, 'void'],
        ['adjustment', 1000, 'approved'],
      ],
      0,
    ],
    [
      'a rejected referral of which nothing was taken back',
      /is active, but its referral is rejected/,
      {},
      ({ won }) => damage(`UPDATE referrals SET status = 'rejected' WHERE id = $1`, won.referralId),
      [
        ['earned', 2000, 'approved'],
        ['clawback', -2000, 'approved'],
      ],
      0,
    ],
  ])('%s', async (_what, problem, terms, harm, ledger, owed) => {
    const sale = await sold(terms)
    await harm(sale)
    const found = await brokenInvariants(scene.database)
    expect(found).toEqual(expect.arrayContaining([expect.stringMatching(problem)]))
    expect(await findDamagedEntries(scene.database.db)).toEqual([
      { account_id: scene.account.id, id: sale.entry.id },
    ])
    await repair()
    expect(await brokenInvariants(scene.database)).toEqual([])
    expect(await sale.ledger()).toEqual(ledger)
    expect(await sale.owed()).toBe(owed)
    await repair()
    expect(await sale.ledger()).toEqual(ledger)
  })
})

it('by several at once it is mended once', async () => {
  const sale = await sold()
  await setStatus(await sale.giveBack(5000), 'approved')
  await setStatus(sale.entry.id, 'void')
  const entry = { account_id: scene.account.id, id: sale.entry.id }
  const { db } = scene.database
  const done = await Promise.all([1, 2, 3, 4].map(() => db.transaction(tx => repairEntry(tx, entry))))
  expect(done.flat()).toEqual([expect.stringMatching(/^wrote adjustment \d+ of 10\.00 USD$/)])
  expect(await sale.owed()).toBe(0)
})

it('a refund beside it is counted once', async () => {
  const sale = await sold({})
  await sale.loseRefund(5000)
  const entry = { account_id: scene.account.id, id: sale.entry.id }
  const request = { external_id: unique('r'), sale_external_id: sale.external_id, amount_minor: 2500 }
  const { db } = scene.database
  await whileHeld(
    scene.database,
    tx => reportRefund(tx, scene.account.id, request),
    () => db.transaction(tx => repairEntry(tx, entry)),
  )
  expect(await sale.owed()).toBe(500)
  expect(await brokenInvariants(scene.database)).toEqual([])
})

it('what a person forgave, and a sound ledger, are left alone', async () => {
  const sale = await sold()
  await scene.api.patch(`/commissions/${await sale.giveBack(5000)}`, { status: 'void' })
  expect(await findDamagedEntries(scene.database.db)).toEqual([])
})
