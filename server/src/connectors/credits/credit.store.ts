import type { Commission } from '@tributary/contract'
import { NOW } from '../../db/current-time.ts'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { creditInForce } from '../../money/ledger/credit.ts'

/** How many changes one run takes at most. */
const TAKEN_PER_RUN = 200

/** Takes the credit entries, of any account, whose amount may have changed. Another process that is at them waits for this one. */
export function takeCreditChanges(tx: Tx): Promise<{ account_id: number; commission_id: number }[]> {
  return tx.many(sql`
    /* every account */
    WITH taken AS (
      DELETE FROM credit_changes x
       WHERE (x.account_id, x.id) IN (SELECT y.account_id, y.id FROM credit_changes y LIMIT ${TAKEN_PER_RUN})
      RETURNING x.account_id, x.commission_id)
    SELECT DISTINCT taken.account_id, taken.commission_id FROM taken ORDER BY 1, 2`)
}

/** Of several processes, one at a time decides about the credit of an entry. In a separate statement, before that is read. */
export async function lockCreditEntry(tx: Tx, accountId: number, commissionId: number): Promise<void> {
  await tx.many(sql`
    SELECT c.id FROM commissions c WHERE c.account_id = ${accountId} AND c.id = ${commissionId} FOR NO KEY UPDATE`)
}

/** Tries the open change of an entry again if it was given up: the ledger has changed, and the next change waits for it. */
export async function makeGivenUpDue(tx: Tx, accountId: number, commissionId: number): Promise<void> {
  await tx.many(sql`
    UPDATE connector_credits d SET due_at = now(), attempts = 0
     WHERE d.account_id = ${accountId} AND d.commission_id = ${commissionId} AND d.external_id IS NULL AND d.due_at IS NULL`)
}

/** Written this way, the planner always starts from the entry, which is found by its ID. */
const isSaleOfEntry = sql`s.id = coalesce(c.sale_id, 0)`

/**
 * Writes down the next change of a customer's balance, if the credit of an entry differs from what was given. The caller has locked the entry.
 * Only credit of sales that a connector reported is granted, and only what was earned since that was turned on, or was
 * given before. What was given is taken back in any case.
 */
export async function insertNextCredit(tx: Tx, accountId: number, commissionId: number): Promise<void> {
  await tx.many(sql`
    INSERT INTO connector_credits (account_id, connector_id, commission_id, amount_minor)
    SELECT ${accountId}, k.id, c.id, w.in_force_minor - w.given_minor
      FROM commissions c
      JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id AND NOT r.is_test
      JOIN sales s ON s.account_id = ${accountId} AND ${isSaleOfEntry}
     CROSS JOIN LATERAL (
        SELECT ${creditInForce(accountId)} AS in_force_minor, coalesce(sum(d.amount_minor), 0)::bigint AS given_minor,
               (array_agg(d.connector_id ORDER BY d.id DESC))[1] AS connector_id
          FROM connector_credits d WHERE d.account_id = ${accountId} AND d.commission_id = c.id) w
      JOIN connectors k ON k.account_id = ${accountId}
      LEFT JOIN connector_sales b ON b.account_id = ${accountId} AND b.connector_id = k.id AND b.external_id = s.external_id
     WHERE c.account_id = ${accountId} AND c.id = ${commissionId} AND c.entry_type = 'credit'
       AND (w.in_force_minor < w.given_minor AND k.id = w.connector_id
            OR w.in_force_minor > w.given_minor AND k.removed_at IS NULL AND k.credits_since IS NOT NULL
               AND (c.created_at >= k.credits_since OR w.connector_id IS NOT NULL)
               AND (b.external_id IS NOT NULL OR k.id = w.connector_id))
       AND NOT EXISTS (
             SELECT 1 FROM connector_credits d
              WHERE d.account_id = ${accountId} AND d.commission_id = c.id AND d.external_id IS NULL)
     ORDER BY k.id DESC LIMIT 1`)
}

export interface ClaimedCredit {
  account_id: number
  id: number
  connector_id: number
  commission_id: number
  amount_minor: number
  /** Set if the provider may have been called. */
  customer: string | null
  balance_minor: number | null
  balance_currency: string | null
  key: string
  rejections: number
  /** How often it was tried, with this time. */
  attempts: number
  /** Until when no other process takes it. */
  due_at: string | null
  created_at: string
}

/** Takes a change that is due, of any account. A process that has not recorded its outcome after five minutes has crashed. */
export function claimCredit(db: Db): Promise<ClaimedCredit | undefined> {
  return db.first(sql`
    /* every account */
    WITH due AS (
      SELECT d.account_id, d.id FROM connector_credits d WHERE d.due_at <= ${NOW}
       ORDER BY d.due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE connector_credits d SET due_at = now() + interval '5 minutes', attempts = d.attempts + 1 FROM due
     WHERE d.account_id = due.account_id AND d.id = due.id
    RETURNING d.account_id, d.id, d.connector_id, d.commission_id, d.amount_minor, d.customer, d.balance_minor, d.balance_currency, d.key,
              d.rejections, d.attempts, d.due_at, d.created_at`)
}

/** What decides whether a change is still right, and whose balance it changes. */
export interface CreditBasis {
  beneficiary: Commission['beneficiary']
  currency: string
  sale_occurred_at: string
  /** As the provider knows them: an ID, or a guest's email. Null if another connector reported the sale. */
  sale_customer: string | null
  affiliate_email: string
  is_on: boolean
  is_removed: boolean
  /** Waits for the review of the referral, or for the affiliate to be approved again. */
  is_held: boolean
  in_force_minor: number
  given_minor: number
  given_balance_minor: number
}

export function findCreditBasis(db: Db, credit: ClaimedCredit): Promise<CreditBasis | undefined> {
  const { account_id: accountId, commission_id: commissionId, connector_id: connectorId } = credit
  return db.first(sql`
    SELECT c.beneficiary, c.currency, s.occurred_at AS sale_occurred_at, b.customer AS sale_customer, a.email AS affiliate_email,
           k.credits_since IS NOT NULL AND k.removed_at IS NULL AS is_on, k.removed_at IS NOT NULL AS is_removed,
           r.status <> 'approved' OR a.status = 'rejected' AS is_held,
           ${creditInForce(accountId)} AS in_force_minor, g.given_minor, g.given_balance_minor
      FROM commissions c
      JOIN referrals r ON r.account_id = ${accountId} AND r.id = c.referral_id
      JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id
      JOIN sales s ON s.account_id = ${accountId} AND ${isSaleOfEntry}
      JOIN connectors k ON k.account_id = ${accountId} AND k.id = ${connectorId}
      LEFT JOIN connector_sales b ON b.account_id = ${accountId} AND b.connector_id = k.id AND b.external_id = s.external_id
     CROSS JOIN LATERAL (
        SELECT coalesce(sum(d.amount_minor), 0)::bigint AS given_minor, coalesce(sum(d.balance_minor), 0)::bigint AS given_balance_minor
          FROM connector_credits d
         WHERE d.account_id = ${accountId} AND d.commission_id = c.id AND d.external_id IS NOT NULL) g
     WHERE c.account_id = ${accountId} AND c.id = ${commissionId}`)
}

/** In place of the provider's ID of a change that rounds to nothing in the currency of the balance: there was no call. */
export const NO_CALL = ''

export interface Recipient {
  customer: string
  balance_minor: number
  balance_currency: string
}

/** Who got the first credit of an entry: later changes are theirs too, at the same rate. */
export function findFirstGiven(
  db: Db,
  { account_id: accountId, commission_id: commissionId }: ClaimedCredit,
): Promise<Pick<ClaimedCredit, 'amount_minor' | keyof Recipient> | undefined> {
  return db.first(sql`
    SELECT d.amount_minor, d.customer, d.balance_minor, d.balance_currency FROM connector_credits d
     WHERE d.account_id = ${accountId} AND d.commission_id = ${commissionId} AND d.external_id IS NOT NULL ORDER BY d.id LIMIT 1`)
}

/**
 * Moves a change of a removed connector to another of the same provider, one with an API key if there is one, where it is due at once. False if
 * there is none. A customer of another account at the provider isn't found there.
 */
export async function moveCredit(db: Db, credit: ClaimedCredit): Promise<boolean> {
  const { account_id: accountId } = credit
  const row = await db.first(sql`
    UPDATE connector_credits d SET connector_id = k.id, due_at = now(), attempts = 0
      FROM (SELECT n.id FROM connectors n
              JOIN connectors o ON o.account_id = ${accountId} AND o.id = ${credit.connector_id} AND o.provider = n.provider
             WHERE n.account_id = ${accountId} AND n.removed_at IS NULL ORDER BY n.sealed_api_key IS NULL, n.id DESC LIMIT 1) k
     WHERE d.account_id = ${accountId} AND d.id = ${credit.id} AND d.due_at = ${credit.due_at} RETURNING d.id`)
  return row !== undefined
}

/** Notes whose balance is about to change. False if another process has claimed the change since. */
export async function recordRecipient(db: Db, credit: ClaimedCredit, to: Recipient): Promise<boolean> {
  const row = await db.first(sql`
    UPDATE connector_credits d
       SET customer = ${to.customer}, balance_minor = ${to.balance_minor}, balance_currency = ${to.balance_currency}
     WHERE d.account_id = ${credit.account_id} AND d.id = ${credit.id} AND d.due_at = ${credit.due_at} RETURNING d.id`)
  return row !== undefined
}

/** Records that the balance was changed, unless another process has claimed the change since. */
export async function recordGiven(tx: Tx, credit: ClaimedCredit, externalId: string): Promise<void> {
  await tx.many(sql`
    UPDATE connector_credits d SET external_id = ${externalId}, problem = NULL, due_at = NULL
     WHERE d.account_id = ${credit.account_id} AND d.id = ${credit.id} AND d.due_at = ${credit.due_at}`)
}

/** Removes a change that the provider was never called for, unless another process has claimed it since. */
export async function deleteCredit(tx: Tx, credit: ClaimedCredit): Promise<void> {
  await tx.many(sql`
    DELETE FROM connector_credits d
     WHERE d.account_id = ${credit.account_id} AND d.id = ${credit.id} AND d.due_at = ${credit.due_at} AND d.customer IS NULL`)
}

export interface CreditFailure {
  /** Null if it only waits. */
  problem: string | null
  attempts: number
  dueInSeconds: number | null
  /** The provider rejected the change: the next call may have another recipient, and needs another key. */
  isRejected: boolean
}

export async function recordFailure(db: Db, credit: ClaimedCredit, failure: CreditFailure): Promise<void> {
  const { isRejected } = failure
  await db.many(sql`
    UPDATE connector_credits d
       SET problem = ${failure.problem}, attempts = ${failure.attempts},
           due_at = now() + ${failure.dueInSeconds}::double precision * interval '1 second',
           rejections = d.rejections + CASE WHEN ${isRejected} THEN 1 ELSE 0 END,
           customer = CASE WHEN NOT ${isRejected} THEN d.customer END,
           balance_minor = CASE WHEN NOT ${isRejected} THEN d.balance_minor END,
           balance_currency = CASE WHEN NOT ${isRejected} THEN d.balance_currency END
     WHERE d.account_id = ${credit.account_id} AND d.id = ${credit.id} AND d.due_at = ${credit.due_at}`)
}

/** Tries the changes that failed again: those of a connector, and of removed ones, which it may be able to make. Returns how many. */
export async function makeFailedCreditsDue(db: Db, accountId: number, connectorId: number): Promise<number> {
  const rows = await db.many(sql`
    UPDATE connector_credits d SET due_at = now(), attempts = 0 FROM connectors k
     WHERE k.account_id = ${accountId} AND (k.id = ${connectorId} OR k.removed_at IS NOT NULL)
       AND d.account_id = ${accountId} AND d.connector_id = k.id AND d.problem IS NOT NULL RETURNING d.id`)
  return rows.length
}
