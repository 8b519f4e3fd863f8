import type { FirstSteps, ReceivedConversion, SampleConversion } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { countsAsEarned } from '../../money/ledger/counts-as-earned.ts'

/** Read from the account's data, so that a step is done however it was done. */
export async function findFirstSteps(db: Db, accountId: number): Promise<FirstSteps> {
  const row = await db.first<FirstSteps>(sql`
    SELECT EXISTS (SELECT 1 FROM campaigns c WHERE c.account_id = ${accountId}) AS campaign,
           EXISTS (SELECT 1 FROM affiliates a WHERE a.account_id = ${accountId}) AS affiliate,
           EXISTS (SELECT 1 FROM api_keys k WHERE k.account_id = ${accountId}) AS api_key,
           EXISTS (SELECT 1 FROM clicks c WHERE c.account_id = ${accountId} AND c.visitor_id IS NOT NULL) AS tracker,
           EXISTS (SELECT 1 FROM conversions v WHERE v.account_id = ${accountId}) AS conversion,
           EXISTS (SELECT 1 FROM test_payouts t WHERE t.account_id = ${accountId})
             OR EXISTS (SELECT 1 FROM payouts p WHERE p.account_id = ${accountId}) AS payout`)
  return row as FirstSteps
}

/** The first approved affiliate that is enrolled in an active campaign: a conversion with this token is credited. */
export function findSampleConversion(db: Db, accountId: number): Promise<SampleConversion | undefined> {
  return db.first(sql`
    SELECT a.token, coalesce(a.name, a.email) AS affiliate_name, c.id AS campaign_id, c.payout_currency AS currency
      FROM affiliates a
      JOIN enrolments e ON e.account_id = ${accountId} AND e.affiliate_id = a.id
      JOIN campaigns c ON c.account_id = ${accountId} AND c.id = e.campaign_id AND c.status = 'active'
     WHERE a.account_id = ${accountId} AND a.status = 'approved' ORDER BY a.id, e.id LIMIT 1`)
}

export function findLastConversion(db: Db, accountId: number): Promise<ReceivedConversion | undefined> {
  return db.first(sql`
    SELECT v.created_at AS at, v.customer_ref, v.referral_id, coalesce(a.name, a.email) AS affiliate_name,
           e.payout_amount_minor AS commission_minor, e.payout_currency AS commission_currency
      FROM conversions v
      LEFT JOIN referrals r ON r.account_id = ${accountId} AND r.id = v.referral_id
      LEFT JOIN affiliates a ON a.account_id = ${accountId} AND a.id = r.affiliate_id
      LEFT JOIN LATERAL (
        SELECT c.payout_amount_minor, c.payout_currency FROM commissions c
         WHERE c.account_id = ${accountId} AND c.referral_id = r.id AND c.affiliate_id = r.affiliate_id
           AND ${countsAsEarned(accountId)}
         ORDER BY c.id LIMIT 1) e ON true
     WHERE v.account_id = ${accountId} ORDER BY v.id DESC LIMIT 1`)
}
