/** Protects against damage that no constraint can see: the doctor finds each broken promise about payouts, by name. */
import type { Campaign } from '@tributary/contract'
import { raw } from 'sql-template-tag'
import { beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { brokenInvariants, useOwnScene } from '../harness.ts'
import { openCampaign, percent } from '../ledger/scene.ts'
import { create, diagnosis, earnFor, markFailed, markPaid, owed, show, undone } from './ground.ts'

const scene = useOwnScene()
let campaign: Campaign
/** A payout with two items that was paid, one that waits, and one that failed. */
let paid: number
let waiting: number
let failed: number
let paidItem: number
let waitingItem: number
let failedItem: number

const firstItem = async (id: number) => (await show(scene, id)).items[0]?.id as number

beforeAll(async () => {
  campaign = await openCampaign(scene.database, scene.account.id, {
    minimum_payout_minor: 1000,
    hold_days: 30,
  })
  await owed(scene, campaign, [2000, 500])
  await owed(scene, campaign, [4000])
  paid = (await create(scene, campaign)).id
  await markPaid(scene, paid)
  await owed(scene, campaign, [1500])
  failed = (await create(scene, campaign)).id
  failedItem = await firstItem(failed)
  await markFailed(scene, failed)
  const affiliate = await owed(scene, campaign, [3000])
  waiting = (await create(scene, campaign)).id
  ;[paidItem, waitingItem] = [await firstItem(paid), await firstItem(waiting)]
  await earnFor(scene, campaign, affiliate, 10_000)
  await earnFor(scene, campaign, affiliate, 10_000, { is_test: true })
  const rewards = [
    percent(1000, { beneficiary: 'referrer', entryType: 'credit' }),
    percent(500, { beneficiary: 'referee' }),
  ]
  const referral = await openCampaign(scene.database, scene.account.id, { program_type: 'referral', rewards })
  await earnFor(scene, referral, await owed(scene, referral, []), 10_000)
})

it('the doctor finds nothing wrong before anything is broken', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})

/** Takes one entry of a kind into an item of a payout, as no program of ours would. */
const pin = (condition: string) => (tx: Tx) =>
  tx.many(sql`
    INSERT INTO pinned_commissions (account_id, commission_id, payout_item_id)
    SELECT c.account_id, c.id, ${waitingItem} FROM commissions c
      LEFT JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE ${raw(condition)} ORDER BY c.id LIMIT 1`)

const sum = 'a payout is the sum of its items'
const item = 'a payout item is the sum of commissions of its campaign and affiliate'
const content = 'a payout item contains only payable commissions'
const minimum = 'no payout item is below its minimum'
const status = 'a commission is paid exactly when its payout item is'
const entry = 'a paid item and its payout entry sum to zero'
const batch = 'the status of a payout matches its items'
const call = 'every payment sent to a rail was recorded first'
const event = 'no event is missing'

it.each<[string, string, (tx: Tx) => Promise<unknown>]>([
  [
    sum,
    'a total that was changed',
    tx => tx.many(sql`UPDATE payouts SET total_minor = total_minor + 1 WHERE id = ${paid}`),
  ],
  [
    sum,
    'an item that was changed',
    tx => tx.many(sql`UPDATE payout_items SET amount_minor = 2999 WHERE id = ${waitingItem}`),
  ],
  [
    item,
    'an item that was changed',
    tx => tx.many(sql`UPDATE payout_items SET amount_minor = 2999 WHERE id = ${waitingItem}`),
  ],
  [
    item,
    'a pin that was lost',
    tx => tx.many(sql`DELETE FROM pinned_commissions WHERE payout_item_id = ${waitingItem}`),
  ],
  [
    item,
    'an item for another affiliate',
    tx =>
      tx.many(
        sql`UPDATE payout_items SET affiliate_id = (SELECT min(id) FROM affiliates) WHERE id = ${waitingItem}`,
      ),
  ],
  [
    item,
    'a payout of another campaign',
    tx => tx.many(sql`UPDATE payouts SET campaign_id = ${scene.place.campaign_id} WHERE id = ${waiting}`),
  ],
  [content, 'what is on hold', pin(`c.status = 'pending' AND NOT r.is_test`)],
  [content, 'a test', pin('r.is_test')],
  [content, 'a reward of the new customer', pin(`c.beneficiary = 'referee'`)],
  [content, 'a credit', pin(`c.entry_type = 'credit'`)],
  [content, 'a payout entry', pin(`c.entry_type = 'payout'`)],
  [
    content,
    'what is void',
    async tx => {
      await tx.many(sql`ALTER TABLE commissions DISABLE TRIGGER USER`)
      await tx.many(sql`
        UPDATE commissions c SET status = 'void' FROM pinned_commissions n
         WHERE n.commission_id = c.id AND n.payout_item_id = ${waitingItem}`)
    },
  ],
  [
    minimum,
    'a minimum that was raised',
    tx => tx.many(sql`UPDATE payouts SET minimum_payout_minor = 3001 WHERE id = ${waiting}`),
  ],
  [
    status,
    'a commission that is paid in an item that is not',
    tx =>
      tx.many(sql`
        UPDATE commissions c SET status = 'paid' FROM pinned_commissions n
         WHERE n.commission_id = c.id AND n.payout_item_id = ${waitingItem}`),
  ],
  [
    status,
    'a commission that is paid in no item',
    tx => tx.many(sql`DELETE FROM pinned_commissions WHERE payout_item_id = ${paidItem}`),
  ],
  [
    status,
    'a commission that was let go although it is paid',
    tx => tx.many(sql`UPDATE pinned_commissions SET released = true WHERE payout_item_id = ${paidItem}`),
  ],
  [
    status,
    'a failed item that holds on to its commissions',
    async tx => {
      await tx.many(sql`DELETE FROM pinned_commissions WHERE payout_item_id = ${waitingItem}`)
      await tx.many(sql`UPDATE pinned_commissions SET released = false WHERE payout_item_id = ${failedItem}`)
    },
  ],
  [
    entry,
    'a payout entry that is not there',
    async tx => {
      await tx.many(sql`ALTER TABLE commissions DISABLE TRIGGER USER`)
      await tx.many(sql`DELETE FROM commissions WHERE payout_item_id = ${paidItem}`)
    },
  ],
  [
    entry,
    'a payout entry of another amount',
    async tx => {
      await tx.many(sql`ALTER TABLE commissions DISABLE TRIGGER USER`)
      await tx.many(sql`
        UPDATE commissions SET amount_minor = -1, payout_amount_minor = -1 WHERE payout_item_id = ${paidItem}`)
    },
  ],
  [
    entry,
    'a payout entry of an item that was not paid',
    async tx => {
      await tx.many(sql`ALTER TABLE commissions DISABLE TRIGGER USER`)
      await tx.many(
        sql`UPDATE commissions SET payout_item_id = ${waitingItem} WHERE payout_item_id = ${paidItem}`,
      )
    },
  ],
  [
    batch,
    'a payout that ended too early',
    tx => tx.many(sql`UPDATE payouts SET status = 'paid' WHERE id = ${waiting}`),
  ],
  [
    batch,
    'a payout that is paid and says otherwise',
    tx => tx.many(sql`UPDATE payouts SET status = 'partially_paid' WHERE id = ${paid}`),
  ],
  [
    batch,
    'a payout that failed and says otherwise',
    tx => tx.many(sql`UPDATE payouts SET status = 'paid' WHERE id = ${failed}`),
  ],
  [
    batch,
    'a payout whose item failed later',
    tx => tx.many(sql`UPDATE payout_items SET status = 'failed', outcome = 'failed' WHERE id = ${paidItem}`),
  ],
  [
    call,
    'an item at PayPal that was never sent',
    tx => tx.many(sql`UPDATE payouts SET rail = 'paypal' WHERE id = ${paid}`),
  ],
  [
    event,
    'a payout without an event',
    tx => tx.many(sql`DELETE FROM events WHERE kind = 'payout.paid' AND subject_id = ${paid}`),
  ],
  [
    event,
    'a payout entry without an event',
    tx =>
      tx.many(sql`
        DELETE FROM events e USING commissions c
         WHERE c.payout_item_id = ${paidItem} AND e.kind = 'commission.created' AND e.subject_id = c.id`),
  ],
])('the doctor finds where "%s" is broken: %s', async (invariant, _what, damage) => {
  const found = await undone(scene.database, async tx => {
    await damage(tx)
    return diagnosis(tx)
  })
  expect(found).toHaveProperty([invariant])
  expect(found[invariant]?.[0]).toMatch(new RegExp(`of account ${scene.account.id} `))
})

it('and nothing is wrong once the damage is undone', async () => {
  expect(await brokenInvariants(scene.database)).toEqual([])
})
