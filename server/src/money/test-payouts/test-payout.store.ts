import type { RecentTestPayout, TestPayout } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'
import { isCreditGivenBack } from '../ledger/entries.ts'
import { isTheirs } from '../ledger/own-money.ts'

const MOST_PAYOUTS = 10
const MOST_PAYMENTS = 50

/**
 * What a test payout contains: open commissions of approved test referrals that are in none yet, of affiliates who end up with more than
 * zero. Unlike a payout, it includes commissions on hold and has no minimum: a test that takes 30 days tests nothing.
 */
const open = (accountId: number, campaignId: number): Sql => sql`
  open AS (
    SELECT x.id, x.affiliate_id, x.amount_minor FROM (
      SELECT c.id, c.affiliate_id, c.payout_amount_minor AS amount_minor,
             sum(c.payout_amount_minor) OVER (PARTITION BY c.affiliate_id) AS payable_minor
        FROM referrals r
        JOIN commissions c ON c.account_id = ${accountId} AND c.referral_id = r.id
        JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id AND a.status = 'approved'
       WHERE r.account_id = ${accountId} AND r.is_test AND r.status = 'approved' AND c.campaign_id = ${campaignId}
         AND c.status IN ('pending', 'approved') AND ${isTheirs} AND c.entry_type IN ('earned', 'clawback', 'adjustment')
         AND NOT EXISTS (SELECT 1 FROM commissions e
                          WHERE e.account_id = ${accountId} AND e.id = c.clawback_of AND e.entry_type = 'credit')
         AND NOT ${isCreditGivenBack(accountId)}
         AND NOT EXISTS (SELECT 1 FROM test_payout_entries t
                          WHERE t.account_id = ${accountId} AND t.commission_id = c.id)) x
     WHERE x.payable_minor > 0
  )`

export interface TestPayable {
  payment_count: number
  total_minor: number
}

const totals = sql`count(DISTINCT o.affiliate_id)::integer AS payment_count, coalesce(sum(o.amount_minor), 0) AS total_minor`

export async function findTestPayable(db: Db, accountId: number, campaignId: number): Promise<TestPayable> {
  const row = await db.first<TestPayable>(sql`
    WITH ${open(accountId, campaignId)} SELECT ${totals} FROM open o`)
  return row as TestPayable
}

/** The caller holds the campaign's lock, so no other test payout takes the same commissions. No id when there are none. */
export async function insertTestPayout(
  tx: Tx,
  accountId: number,
  { campaignId, currency }: { campaignId: number; currency: string },
): Promise<TestPayable & { id: number | null }> {
  const row = await tx.first<TestPayable & { id: number | null }>(sql`
    WITH ${open(accountId, campaignId)}, payout AS (
      INSERT INTO test_payouts (account_id, campaign_id, currency)
      SELECT ${accountId}, ${campaignId}, ${currency} WHERE EXISTS (SELECT 1 FROM open)
      RETURNING id
    ), entries AS (
      INSERT INTO test_payout_entries (account_id, commission_id, test_payout_id)
      SELECT ${accountId}, o.id, payout.id FROM payout, open o
    )
    SELECT ${totals}, (SELECT payout.id FROM payout) AS id FROM open o`)
  return row as TestPayable & { id: number | null }
}

/** The newest of a campaign. Amounts are those of the commissions, which never change. */
export function listTestPayouts(db: Db, accountId: number, campaignId: number): Promise<TestPayout[]> {
  return db.many(sql`
    SELECT t.id, t.currency, t.created_at, sum(p.amount_minor) AS total_minor, count(*)::integer AS payment_count,
           coalesce(json_agg(json_build_object('affiliate_id', p.affiliate_id, 'email', p.email, 'name', p.name,
                                               'amount_minor', p.amount_minor) ORDER BY p.affiliate_id)
                      FILTER (WHERE p.place <= ${MOST_PAYMENTS}), '[]') AS payments
      FROM (SELECT t.id, t.currency, t.created_at FROM test_payouts t
             WHERE t.account_id = ${accountId} AND t.campaign_id = ${campaignId} ORDER BY t.id DESC LIMIT ${MOST_PAYOUTS}) t
      CROSS JOIN LATERAL (
        SELECT a.id AS affiliate_id, a.email, a.name, sum(c.payout_amount_minor) AS amount_minor,
               row_number() OVER (ORDER BY a.id) AS place
          FROM test_payout_entries e
          JOIN commissions c ON c.account_id = ${accountId} AND c.id = e.commission_id
          JOIN affiliates a ON a.account_id = ${accountId} AND a.id = c.affiliate_id
         WHERE e.account_id = ${accountId} AND e.test_payout_id = t.id GROUP BY a.id, a.email, a.name) p
     GROUP BY t.id, t.currency, t.created_at ORDER BY t.id DESC`)
}

/** The newest of all campaigns, or of one. */
export function listRecentTestPayouts(
  db: Db,
  accountId: number,
  query: { campaign_id?: number },
): Promise<RecentTestPayout[]> {
  return db.many(sql`
    SELECT t.id, t.campaign_id, g.name AS campaign_name, t.currency, t.created_at, p.total_minor, p.payment_count
      FROM (SELECT t.id, t.campaign_id, t.currency, t.created_at FROM test_payouts t
             WHERE t.account_id = ${accountId} AND ${all(when(query.campaign_id, id => sql`t.campaign_id = ${id}`))}
             ORDER BY t.id DESC LIMIT ${MOST_PAYOUTS}) t
      JOIN campaigns g ON g.account_id = ${accountId} AND g.id = t.campaign_id
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(c.payout_amount_minor), 0) AS total_minor, count(DISTINCT c.affiliate_id)::integer AS payment_count
          FROM test_payout_entries e JOIN commissions c ON c.account_id = ${accountId} AND c.id = e.commission_id
         WHERE e.account_id = ${accountId} AND e.test_payout_id = t.id) p
     ORDER BY t.id DESC`)
}
