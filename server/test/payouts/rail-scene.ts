import type { Campaign, Commission } from '@tributary/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { FakePayPal } from '../../../testing/fake-paypal.ts'
import type { FakeBank } from '../../../testing/fake-paypal-bank.ts'
import { sql } from '../../src/db/sql.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { presentCommission } from '../../src/money/commissions/commission.presenter.ts'
import { entryColumns } from '../../src/money/ledger/entries.ts'
import { createPayout } from '../../src/money/payouts/create-payout.ts'
import { OpenRails } from '../../src/money/payouts/open-rails.ts'
import type { PayoutHead, SubmissionDetail } from '../../src/money/payouts/payout.ts'
import { processSubmissions } from '../../src/money/payouts/process-submissions.ts'
import { setPayPalCredentials } from '../../src/money/payouts/rail-credentials.ts'
import { submitPayout } from '../../src/money/payouts/submit-payout.ts'
import { recordEvents } from '../../src/webhooks/outbox/record-event.ts'
import { buildAccount, unique } from '../factories.ts'
import { brokenInvariants, createDatabase, TEST_SECRET_KEY, type TestDatabase } from '../harness.ts'
import { openCampaign } from '../ledger/scene.ts'

/** How long a call may take: long enough for a busy machine, or, where PayPal will not answer anyway, as short as that allows. */
export const PATIENT_MS = 10_000
export const HURRIED_MS = 400
export const CREDENTIALS = { clientId: 'client-of-the-tests', clientSecret: 'secret-of-the-tests' }
export const secrets = new SecretBox(TEST_SECRET_KEY)

/** An affiliate with an entry that waits to be paid. */
export interface Earner {
  affiliateId: number
  receiver: string
  commissionId: number
  minor: number
}

/** Affiliates with a PayPal address and one approved entry each, with distinct amounts; fast for any number. */
export async function buildEarners(
  { db }: Pick<TestDatabase, 'db'>,
  accountId: number,
  { id: campaignId, payout_currency: currency }: Pick<Campaign, 'id' | 'payout_currency'>,
  count: number,
): Promise<Earner[]> {
  const name = unique('earner')
  return db.transaction(async tx => {
    const entries = await tx.many<Commission & { receiver: string }>(sql`
      WITH people AS (
        INSERT INTO affiliates (account_id, email, email_key, status, kind, token, paypal_email)
        SELECT ${accountId}, mail, mail, 'approved', 'affiliate', ${name} || '-' || n, mail
          FROM generate_series(1, ${count}::integer) n, concat(${name}::text, '-', n, '@example.com') mail ORDER BY n
        RETURNING id, paypal_email
      ), entries AS (
        INSERT INTO commissions AS c (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
               payout_amount_minor, payout_currency, status)
        SELECT ${accountId}, ${campaignId}, id, 'earned', 'affiliate', 2000 + id, ${currency}, 2000 + id, ${currency}, 'approved'
          FROM people ORDER BY id
        RETURNING ${entryColumns}
      )
      SELECT entries.*, people.paypal_email AS receiver FROM entries JOIN people ON people.id = entries.affiliate_id ORDER BY 1`)
    recordEvents(tx, accountId, 'commission.created', entries.map(presentCommission))
    return entries.map(({ id, affiliate_id, receiver, payout_amount_minor }) => ({
      affiliateId: affiliate_id,
      receiver,
      commissionId: id,
      minor: payout_amount_minor,
    }))
  })
}

export interface ItemRow {
  id: number
  affiliate_id: number
  amount_minor: number
  status: string
  outcome: string | null
  reason: string | null
  reference: string | null
  /** What the ledger says has left for this item, corrections included. */
  booked_minor: number
}

/** An account's payouts in the database. */
export class Books {
  readonly database: TestDatabase
  readonly accountId: number

  constructor(database: TestDatabase, accountId: number) {
    this.database = database
    this.accountId = accountId
  }

  items(payoutId?: number): Promise<ItemRow[]> {
    return this.database.db.many(sql`
      SELECT i.id, i.affiliate_id, i.amount_minor, i.status, i.outcome, i.reason, i.reference,
             coalesce((SELECT -sum(c.payout_amount_minor) FROM commissions c
                        WHERE c.account_id = i.account_id AND c.payout_item_id = i.id), 0)::bigint AS booked_minor
        FROM payout_items i
       WHERE i.account_id = ${this.accountId} AND i.payout_id = coalesce(${payoutId ?? null}::bigint, i.payout_id) ORDER BY i.id`)
  }

  async submissions(): Promise<(SubmissionDetail & { maybe_sent_at: string | null })[]> {
    return this.database.db.many(sql`
      SELECT s.sender_batch_id, s.external_id, s.status, s.problem, s.attempts, s.due_at, s.maybe_sent_at
        FROM payout_submissions s WHERE s.account_id = ${this.accountId} ORDER BY s.id`)
  }

  payouts(): Promise<Pick<PayoutHead, 'id' | 'status' | 'total_minor'>[]> {
    return this.database.db.many(sql`
      SELECT p.id, p.status, p.total_minor FROM payouts p WHERE p.account_id = ${this.accountId} ORDER BY p.id`)
  }

  async status(payoutId: number): Promise<string | undefined> {
    return (await this.payouts()).find(({ id }) => id === payoutId)?.status
  }

  /** The entries that correct what was booked about items. */
  async corrections(): Promise<number[]> {
    const rows = await this.database.db.many<{ minor: number }>(sql`
      SELECT c.payout_amount_minor AS minor FROM commissions c
       WHERE c.account_id = ${this.accountId} AND c.entry_type = 'adjustment' AND c.payout_item_id IS NOT NULL ORDER BY c.id`)
    return rows.map(({ minor }) => minor)
  }

  /** How many `payout.paid` events each payout has. */
  async paidEvents(): Promise<Map<number, number>> {
    const rows = await this.database.db.many<{ id: number; times: number }>(sql`
      SELECT e.subject_id AS id, count(*)::integer AS times FROM events e
       WHERE e.account_id = ${this.accountId} AND e.kind = 'payout.paid' GROUP BY 1`)
    return new Map(rows.map(({ id, times }) => [id, times]))
  }

  /** Time passes: whatever is to be asked some day has been due for a while, even should the clock be set back a little now. */
  async passTime(): Promise<void> {
    await this.database.owner.query(
      `UPDATE payout_submissions SET due_at = now() - interval '1 minute' WHERE account_id = $1 AND due_at IS NOT NULL`,
      [this.accountId],
    )
  }

  /** Holds the rail's own record against the ledger: nothing paid twice, nothing paid that is not booked, and the reverse. */
  async expectExact(bank: FakeBank): Promise<void> {
    const paid = bank.paid()
    const items = await this.items()
    expect([...paid].filter(([, { times }]) => times > 1)).toEqual([])
    expect(items.map(({ id, booked_minor }) => [id, booked_minor])).toEqual(
      items.map(({ id }) => [id, paid.get(id)?.minor ?? 0]),
    )
    const known = new Set(items.map(({ id }) => id))
    expect([...paid.keys()].filter(id => !known.has(id))).toEqual([])
    const paidEvents = await this.paidEvents()
    for (const { id, status } of await this.payouts())
      expect([id, status, paidEvents.get(id) ?? 0]).toEqual([id, status, /paid$/.test(status) ? 1 : 0])
  }
}

export interface RailScene {
  database: TestDatabase
  accountId: number
  campaign: Campaign
  paypal: FakePayPal
  bank: FakeBank
  rails: OpenRails
  books: Books
  earners(count: number): Promise<Earner[]>
  create(): Promise<number>
  /** Makes a payout of what is there and hands it over; nothing has been sent yet. */
  start(): Promise<number>
  /** Makes every call that could be due, once each. */
  ask(): Promise<void>
  /** Asks until the payout has ended, or so often that it never will. */
  askUntilEnded(payoutId: number): Promise<string | undefined>
  /** The rails as another process has them, with another patience where a test needs it. */
  openRails(timeoutMs?: number): OpenRails
}

/**
 * A separate account, campaign and PayPal for each test; one database for the file, whose ledger must be consistent at the end.
 * Nothing mends a ledger, so what any test broke is still broken then.
 */
export function useRail(currency = 'USD'): RailScene {
  const scene = {} as RailScene
  const open: OpenRails[] = []
  beforeAll(async () => {
    scene.database = await createDatabase()
  })
  beforeEach(async () => {
    const { database } = scene
    const { id: accountId } = await buildAccount(database)
    const campaign = await openCampaign(database, accountId, { payout_currency: currency })
    await setPayPalCredentials(database.db, secrets, accountId, CREDENTIALS)
    const paypal = await FakePayPal.start()
    Object.assign(scene, { accountId, campaign, paypal, bank: paypal.bank })
    scene.books = new Books(database, accountId)
    scene.rails = scene.openRails()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map(rails => rails.close()))
    await scene.paypal.refuse()
    // What one test left open is not asked about in the next one.
    await scene.database.owner.query('UPDATE payout_submissions SET due_at = NULL')
  })
  afterAll(async () => {
    // Where setting up failed, the failure itself is what should be read.
    if (!scene.database) return
    const broken = await brokenInvariants(scene.database)
    await scene.database.drop()
    expect(broken).toEqual([])
  })

  scene.openRails = (timeoutMs = PATIENT_MS) => {
    const settings = { TRIBUTARY_PAYPAL_URL: scene.paypal.url }
    const rails = new OpenRails({ db: scene.database.db, secrets, settings }, timeoutMs)
    open.push(rails)
    return rails
  }
  scene.earners = count => buildEarners(scene.database, scene.accountId, scene.campaign, count)
  scene.create = async () => {
    const request = { campaignId: scene.campaign.id, rail: 'paypal' } as const
    return (await createPayout(scene.database.db, scene.accountId, request)).id
  }
  scene.start = async () => {
    const id = await scene.create()
    await submitPayout(scene.database.db, secrets, scene.accountId, id)
    return id
  }
  scene.ask = async () => {
    await scene.books.passTime()
    await processSubmissions(scene.database.db, scene.rails)
  }
  scene.askUntilEnded = async payoutId => {
    for (let left = 6; left > 0 && (await scene.books.status(payoutId)) === 'processing'; left--)
      await scene.ask()
    return scene.books.status(payoutId)
  }
  return scene
}
