import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { AttemptResult } from '../../webhooks/delivery/delivery.ts'

export interface NewPastClick {
  campaignId: number
  affiliateId: number
  visitorId: string
  isBot: boolean
  userAgent: string
  referrer: string | null
  landingUrl: string
  country: string | null
  at: string
}

/** Inserts clicks with past timestamps, which requests cannot. Returns their ids in the same order. */
export async function insertPastClicks(tx: Tx, accountId: number, clicks: NewPastClick[]): Promise<number[]> {
  const rows = await tx.many<{ id: number }>(sql`
    INSERT INTO clicks (account_id, campaign_id, affiliate_id, visitor_id, is_bot, user_agent, referrer, landing_url, country, created_at)
    SELECT ${accountId}, c.campaign_id, c.affiliate_id, c.visitor_id, c.is_bot, c.user_agent, c.referrer, c.landing_url, c.country, c.at
      FROM unnest(${clicks.map(click => click.campaignId)}::bigint[], ${clicks.map(click => click.affiliateId)}::bigint[],
             ${clicks.map(click => click.visitorId)}::text[], ${clicks.map(click => click.isBot)}::boolean[],
             ${clicks.map(click => click.userAgent)}::text[], ${clicks.map(click => click.referrer)}::text[],
             ${clicks.map(click => click.landingUrl)}::text[], ${clicks.map(click => click.country)}::text[],
             ${clicks.map(click => click.at)}::timestamptz[])
             AS c (campaign_id, affiliate_id, visitor_id, is_bot, user_agent, referrer, landing_url, country, at)
    RETURNING id`)
  return rows.map(({ id }) => id)
}

/** Entries whose hold has ended by a given time, as the service would have found them then. */
export async function entriesDue(tx: Tx, accountId: number, at: string): Promise<number[]> {
  const rows = await tx.many<{ id: number }>(sql`
    SELECT c.id FROM commissions c
      JOIN referrals r ON r.account_id = c.account_id AND r.id = c.referral_id
     WHERE c.account_id = ${accountId} AND c.status = 'pending' AND c.entry_type IN ('earned', 'credit')
       AND c.hold_until <= ${at} AND r.status = 'approved' ORDER BY c.id`)
  return rows.map(({ id }) => id)
}

export async function itemsOf(
  tx: Tx,
  accountId: number,
  payoutId: number,
): Promise<{ id: number; email: string }[]> {
  return tx.many(sql`
    SELECT i.id, a.email FROM payout_items i JOIN affiliates a ON a.account_id = i.account_id AND a.id = i.affiliate_id
     WHERE i.account_id = ${accountId} AND i.payout_id = ${payoutId} ORDER BY i.id`)
}

export type PendingDelivery = AttemptResult['delivery'] & { created_at: string }

/** Pending deliveries, oldest first. */
export function pendingDeliveries(tx: Tx, accountId: number): Promise<PendingDelivery[]> {
  return tx.many(sql`
    SELECT d.account_id, d.id, d.endpoint_id, d.event_id, e.kind AS event_kind, e.is_test, e.body, d.attempts,
           d.leased_until::text, w.url, w.sealed_secret, w.failing_since IS NOT NULL AS is_failing, d.created_at
      FROM deliveries d
      JOIN events e ON e.account_id = d.account_id AND e.id = d.event_id
      JOIN webhook_endpoints w ON w.account_id = d.account_id AND w.id = d.endpoint_id
     WHERE d.account_id = ${accountId} AND d.status = 'pending' AND w.sealed_secret IS NOT NULL ORDER BY d.created_at, d.id`)
}

/** Demo emails, including team invitations, are never sent, even if an SMTP server is set. */
export async function keepDemoMails(tx: Tx, accountId: number, team: string[]): Promise<void> {
  await tx.many(
    sql`UPDATE mails m SET status = 'kept' WHERE m.account_id = ${accountId} AND m.status = 'pending'`,
  )
  await tx.many(sql`
    /* every account */ UPDATE mails m SET status = 'kept'
     WHERE m.account_id IS NULL AND m.kind = 'team_invitation' AND m.status = 'pending' AND m.to_address = ANY (${team}::text[])`)
}

export async function nameUser(tx: Tx, userId: number, name: string): Promise<void> {
  await tx.many(sql`UPDATE users SET name = ${name} WHERE id = ${userId} AND name IS NULL`)
}

/** Refreshes planner statistics: autovacuum cannot, since the data is filled in within one uncommitted transaction. */
export async function noteGrowth(db: Db): Promise<void> {
  await db.many(
    sql`ANALYZE affiliates, enrolments, clicks_unfiled, conversions, referrals, sales, refunds, commissions, events, deliveries, payout_items, pinned_commissions, audit_log`,
  )
}

export interface Totals {
  affiliates: number
  clicks: number
  conversions: number
  unattributed: number
  sales: number
  refunds: number
  commissions: number
  /** Both currencies of the demo have two decimals. */
  earned: string
  payouts: number
  paid: string
  deliveries: number
}

/** Totals of the account; the same for the same seed. */
export async function totalsOf(db: Db, accountId: number): Promise<Totals> {
  const row = await db.first<Totals>(sql`
    SELECT (SELECT count(*) FROM affiliates a WHERE a.account_id = ${accountId})::integer AS affiliates,
           (SELECT count(*) FROM clicks c WHERE c.account_id = ${accountId})::integer AS clicks,
           (SELECT count(*) FROM conversions v WHERE v.account_id = ${accountId})::integer AS conversions,
           (SELECT count(*) FROM conversions v WHERE v.account_id = ${accountId} AND v.referral_id IS NULL)::integer AS unattributed,
           (SELECT count(*) FROM sales s WHERE s.account_id = ${accountId})::integer AS sales,
           (SELECT count(*) FROM refunds f WHERE f.account_id = ${accountId})::integer AS refunds,
           (SELECT count(*) FROM commissions c WHERE c.account_id = ${accountId})::integer AS commissions,
           coalesce((SELECT string_agg(e.amount, ' and ' ORDER BY e.amount DESC) FROM (
              SELECT format('%s %s', c.payout_currency, to_char(sum(c.payout_amount_minor) / 100.0, 'FM999999990.00')) AS amount
                FROM commissions c WHERE c.account_id = ${accountId} AND c.entry_type = 'earned' GROUP BY c.payout_currency) e), '0') AS earned,
           (SELECT count(*) FROM payouts p WHERE p.account_id = ${accountId})::integer AS payouts,
           coalesce((SELECT string_agg(e.amount, ' and ' ORDER BY e.amount DESC) FROM (
              SELECT format('%s %s', c.payout_currency, to_char(-sum(c.payout_amount_minor) / 100.0, 'FM999999990.00')) AS amount
                FROM commissions c WHERE c.account_id = ${accountId} AND c.entry_type = 'payout' GROUP BY c.payout_currency) e), '0') AS paid,
           (SELECT count(*) FROM deliveries d WHERE d.account_id = ${accountId})::integer AS deliveries`)
  return row as Totals
}

export async function lastAuditLine(tx: Tx, accountId: number): Promise<number> {
  const row = await tx.first<{ id: number }>(
    sql`SELECT l.id FROM audit_log l WHERE l.account_id = ${accountId} ORDER BY l.id DESC LIMIT 1`,
  )
  return row?.id ?? 0
}

export async function lastMail(tx: Tx, accountId: number): Promise<number> {
  const row = await tx.first<{ id: number }>(
    sql`SELECT m.id FROM mails m WHERE m.account_id = ${accountId} ORDER BY m.id DESC LIMIT 1`,
  )
  return row?.id ?? 0
}
