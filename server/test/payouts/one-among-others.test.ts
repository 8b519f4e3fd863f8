/** Protects payments that are under way beside others: what is asked of one item, batch or account is answered of that one alone. */
import { expect, it } from 'vitest'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { isSameAccount } from '../../src/money/payouts/paying-account.ts'
import { payoutsToSettle, recordReports } from '../../src/money/payouts/payment-outcome.store.ts'
import { itemsWithoutAddress } from '../../src/money/payouts/payout.store.ts'
import { previewPage } from '../../src/money/payouts/preview-page.ts'
import { credentialsChangedAt } from '../../src/money/payouts/rail-credentials.store.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import {
  type ClaimedSubmission,
  claimSubmission,
  findSubmittedItem,
  hasItemsWithoutOutcome,
  insertSubmission,
  resumeSubmissions,
} from '../../src/money/payouts/submission.store.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import type { Rail } from '../../src/money/rails/rail.ts'
import { buildAccount } from '../factories.ts'
import { openCampaign } from '../ledger/scene.ts'
import { Books, buildEarners, CREDENTIALS, secrets, useRail } from './rail-scene.ts'

const scene = useRail()

it('an item that was sent is found by its own id, and not by a neighbour’s', async () => {
  await scene.earners(2)
  const payoutId = await scene.start()
  const { db, owner } = scene.database
  await owner.query(`UPDATE payout_items SET external_id = 'item-' || id WHERE payout_id = $1`, [payoutId])
  const ids = (await scene.books.items(payoutId)).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  for (const id of ids)
    expect(await findSubmittedItem(db, scene.accountId, payoutId, id)).toMatchObject({
      external_id: `item-${id}`,
    })
  expect(await findSubmittedItem(db, scene.accountId, payoutId, Math.max(...ids) + 1)).toBeUndefined()
})

it('a batch is open as long as one of its items is, whatever else is open', async () => {
  const { db, owner } = scene.database
  const start = async () => {
    await scene.earners(1)
    const payoutId = await scene.start()
    return { payoutId, batch: (await claimSubmission(db)) as ClaimedSubmission }
  }
  const [first, second] = [await start(), await start()]
  const isOpen = async () => [
    await hasItemsWithoutOutcome(db, first.batch),
    await hasItemsWithoutOutcome(db, second.batch),
  ]
  expect(await isOpen()).toEqual([true, true])
  await owner.query(`UPDATE payout_items SET outcome = 'failed', reason = 'x' WHERE payout_id = $1`, [
    first.payoutId,
  ])
  expect(await isOpen()).toEqual([false, true])
})

it('new credentials take up what waited for them in their own account, and nothing of another', async () => {
  const { db, owner } = scene.database
  await scene.earners(1)
  await scene.start()
  const { id: other } = await buildAccount(scene.database)
  const campaign = await openCampaign(scene.database, other)
  await setPayPalCredentials(db, secrets, other, CREDENTIALS)
  await buildEarners(scene.database, other, campaign, 1)
  const { id: payoutId } = await createPayout(db, other, { campaignId: campaign.id, rail: 'paypal' })
  await submitPayout(db, secrets, other, payoutId)
  const accounts = [scene.accountId, other]
  await owner.query(
    `UPDATE payout_submissions SET account_changed = true, due_at = now() + interval '1 hour' WHERE account_id = ANY ($1)`,
    [accounts],
  )
  await resumeSubmissions(db, scene.accountId)
  const dueSoon = await Promise.all(
    accounts.map(async account =>
      (await new Books(scene.database, account).submissions()).map(
        ({ due_at }) => Date.parse(due_at as string) - Date.now() < 60_000,
      ),
    ),
  )
  expect(dueSoon).toEqual([[true], [false]])
})

it('what the rail says of an item of another batch is not believed', async () => {
  const { db } = scene.database
  await scene.earners(1)
  const other = await scene.start()
  const [foreign] = await scene.books.items(other)
  await scene.earners(1)
  const own = await scene.start()
  const { rows } = await scene.database.owner.query(
    'SELECT id::integer FROM payout_submissions WHERE payout_id = $1',
    [own],
  )
  const report = { outcome: 'paid' as const, reason: null, reference: 'T-1', externalId: 'E-1' }
  await db.transaction(tx =>
    recordReports(tx, scene.accountId, rows[0].id, [{ ...report, itemId: foreign?.id ?? 0 }]),
  )
  expect(await scene.books.items(other)).toEqual([foreign])
})

it('only payouts of which something was said are to be settled', async () => {
  const { db, owner } = scene.database
  const mine = async () =>
    (await payoutsToSettle(db)).filter(({ account_id }) => account_id === scene.accountId)
  await scene.earners(1)
  const payoutId = await scene.start()
  expect(await mine()).toEqual([])
  await owner.query(`UPDATE payout_items SET outcome = 'failed', reason = 'x' WHERE payout_id = $1`, [
    payoutId,
  ])
  expect(await mine()).toEqual([{ account_id: scene.accountId, payout_id: payoutId }])
})

it('a part of a payout is its first items, wherever a change has put them in their table', async () => {
  const { db, owner } = scene.database
  await scene.earners(3)
  const payoutId = await scene.create()
  const ids = (await scene.books.items(payoutId)).map(({ id }) => id)
  for (const id of ids.toReversed())
    await owner.query('UPDATE payout_items SET payout_address = NULL WHERE id = $1', [id])
  expect(await itemsWithoutAddress(db, scene.accountId, payoutId)).toEqual(ids)
  expect(
    await db.transaction(tx => insertSubmission(tx, scene.accountId, payoutId, `part-${payoutId}`, 2)),
  ).toBe(2)
  const { rows } = await owner.query(
    'SELECT id::integer FROM payout_items WHERE payout_id = $1 AND submission_id IS NOT NULL ORDER BY id',
    [payoutId],
  )
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(0, 2))
})

it('an account keeps its way to PayPal while its credentials stay, and gets another one with others', async () => {
  const first = await scene.rails.paypal(scene.accountId)
  expect(await scene.rails.paypal(scene.accountId)).toBe(first)
  const others = { ...CREDENTIALS, clientSecret: 'another-secret' }
  await setPayPalCredentials(scene.database.db, secrets, scene.accountId, others)
  const second = await scene.rails.paypal(scene.accountId)
  expect(second).not.toBe(first)
  expect(await scene.rails.paypal(scene.accountId)).toBe(second)
})

it.each([
  ['client_id', { ...CREDENTIALS, clientId: 'user:name' }],
  ['client_id', { ...CREDENTIALS, clientId: '' }],
  ['client_secret', { ...CREDENTIALS, clientSecret: 'two words' }],
  ['client_secret', { ...CREDENTIALS, clientSecret: 'x'.repeat(501) }],
])('credentials that HTTP could not carry are refused: %s of %o', async (field, credentials) => {
  await expect(
    setPayPalCredentials(scene.database.db, secrets, scene.accountId, credentials),
  ).rejects.toThrow(field)
})

it('credentials set in the same instant as a call are not taken for those it was made with', async () => {
  const { db } = scene.database
  const rail = (await scene.rails.paypal(scene.accountId)) as Rail
  const changed = (await credentialsChangedAt(db, scene.accountId, 'paypal')) as string
  const sentAt = (ms: number) => new Date(Date.parse(changed) + ms).toISOString()
  const isSame = (sent_at: string) =>
    isSameAccount(db, { account_id: scene.accountId, paying_account: null, sent_at }, rail)
  expect([await isSame(sentAt(0)), await isSame(sentAt(1))]).toEqual([false, true])
})

it('a preview of three at a time shows everybody once', async () => {
  const earners = await scene.earners(7)
  const request = { campaignId: scene.campaign.id, rail: 'paypal' } as const
  const shown: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page = await previewPage(scene.database.db, scene.accountId, request, { after, limit: 3 })
    shown.push(...page.data.map(({ id }) => id))
    after = page.next
  }
  expect(shown).toEqual(earners.map(({ affiliateId }) => affiliateId))
})
