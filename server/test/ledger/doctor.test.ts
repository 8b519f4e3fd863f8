/** Protects against damage that no constraint can see: the doctor finds each broken promise about entries, sales and refunds, by name. */
import { raw } from 'sql-template-tag'
import { beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { reviewReferral } from '../../src/earning/referrals/review-referral.ts'
import { reviewCommission } from '../../src/money/commissions/review-commission.ts'
import { unique } from '../factories.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { diagnosis, undone } from '../payouts/ground.ts'
import { earn, earnOne, percent, refund, useRate, type Won, winCustomer } from './scene.ts'

const scene = useOwnScene()
/** A sale in euros that was refunded as a whole after it had earned, so that nothing of it is left. */
let sold: Won
let saleId: string
let entryId: number
let refereeEntryId: number

const refundOf = (sale_external_id: string, amount_minor?: number) =>
  refund(scene.api, { external_id: unique('refund'), sale_external_id, amount_minor })

/** A rejected referral takes back all of an entry, of which a person had forgiven half before. */
async function forgiveAndReject() {
  const won = await winCustomer(scene, { hold_days: 30 })
  const { external_id, entry } = await earnOne(scene, won)
  const { body } = await refundOf(external_id, 5000)
  await reviewCommission(scene.database.db, scene.account.id, body.commissions[0].id, 'void')
  await reviewCommission(scene.database.db, scene.account.id, entry.id, 'approved')
  await reviewReferral(scene.database.db, scene.account.id, won.referralId, 'rejected')
}

beforeAll(async () => {
  await useRate(scene, 'EUR', 'USD', '2')
  sold = await winCustomer(scene)
  const { external_id, entry } = await earnOne(scene, sold, 10_000, { currency: 'EUR' })
  ;[saleId, entryId] = [external_id, entry.id]
  await refundOf(saleId)
  const rewards = [percent(1000, { beneficiary: 'referrer' }), percent(500, { beneficiary: 'referee' })]
  const { commissions } = await earn(
    scene,
    await winCustomer(scene, { program_type: 'referral', rewards }),
    10_000,
  )
  refereeEntryId = commissions.find(({ beneficiary }) => beneficiary === 'referee')?.id as number
  await forgiveAndReject()
})

/** Writes as no program of ours can. */
const change = (what: string, id: () => number | string) => async (tx: Tx) => {
  await tx.many(sql`ALTER TABLE commissions DISABLE TRIGGER USER`)
  await tx.many(sql`${raw(what)} ${id()}`)
}

const place = 'an entry has the campaign and affiliate that its referral has or had'
const correction = 'a correction has the campaign and affiliate of its entry'
const reassigned = 'what a sale earned before its referral was reassigned is taken back'
const clawbacks = 'the clawbacks of an entry never exceed it'
const refunds = 'refunds never exceed their sale'
const referral = 'an entry of a sale belongs to the referral of that sale'
const event = 'no event is missing'
const otherAffiliate = '(SELECT min(a.id) FROM affiliates a)'

it('the doctor finds nothing wrong with what was taken back to the last unit', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})

// biome-ignore format: a table is read row by row.
it.each<[string, string, (tx: Tx) => Promise<unknown>]>([
  [place, 'an entry in another campaign',
    change('UPDATE commissions SET campaign_id = (SELECT min(g.id) FROM campaigns g) WHERE id =', () => entryId)],
  [place, 'an entry of another affiliate', change(`UPDATE commissions SET affiliate_id = ${otherAffiliate} WHERE id =`, () => entryId)],
  [correction, 'a clawback from another affiliate',
    change(`UPDATE commissions SET affiliate_id = ${otherAffiliate} WHERE clawback_of =`, () => entryId)],
  [reassigned, 'an entry that counts beside those of a later assignment',
    change('UPDATE sales s SET assignment = 1 FROM commissions c WHERE s.id = c.sale_id AND c.id =', () => refereeEntryId)],
  [reassigned, 'an entry of an assignment that its sale has not had',
    change('UPDATE commissions SET assignment = 1 WHERE id =', () => entryId)],
  [clawbacks, 'one unit too much, as earned', change('UPDATE commissions SET amount_minor = amount_minor - 1 WHERE clawback_of =', () => entryId)],
  [clawbacks, 'one unit too much, as paid out',
    change('UPDATE commissions SET payout_amount_minor = payout_amount_minor - 1 WHERE clawback_of =', () => entryId)],
  [refunds, 'one unit too much',
    change('UPDATE refunds f SET amount_minor = f.amount_minor + 1 FROM sales s WHERE s.id = f.sale_id AND s.external_id =', () => saleId)],
  [referral, 'a sale without a referral', change('UPDATE sales SET referral_id = NULL WHERE external_id =', () => saleId)],
  [referral, 'a sale of another referral',
    change('UPDATE sales SET referral_id = (SELECT max(r.id) FROM referrals r) WHERE external_id =', () => saleId)],
  [event, 'an entry without an event', change(`DELETE FROM events WHERE kind = 'commission.created' AND subject_id =`, () => entryId)],
  [event, 'an entry with only a test event',
    change(`UPDATE events SET is_test = true WHERE kind = 'commission.created' AND subject_id =`, () => entryId)],
  [event, 'a referral without an event',
    change(`DELETE FROM events WHERE kind = 'conversion.created' AND subject_id =`, () => sold.referralId)],
])('the doctor finds where "%s" is broken: %s', async (invariant, _what, damage) => {
  const found = await undone(scene.database, async tx => {
    await damage(tx)
    return diagnosis(tx)
  })
  expect(found).toHaveProperty([invariant])
  expect(found[invariant]?.[0]).toMatch(new RegExp(`of account ${scene.account.id} `))
})

it('a reward of the new customer may be noted with any affiliate', async () => {
  const found = await undone(scene.database, async tx => {
    await change(
      `UPDATE commissions SET affiliate_id = ${otherAffiliate} WHERE id =`,
      () => refereeEntryId,
    )(tx)
    return diagnosis(tx)
  })
  expect(found).not.toHaveProperty([place])
})
