import type { Tx } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'
import { isCreditGivenBack } from './entries.ts'
import { takesBackPaid } from './in-review.ts'
import { isTheirs } from './own-money.ts'

/** The entries a payout covers: those of one campaign, created up to the cut-off, for one rail. */
export interface PayableScope {
  campaignId: number
  rail: string
  currency: string
  /** Whether the rail needs the affiliate's PayPal address. */
  needsPayPalAddress: boolean
  minimumMinor: number
  cutOff: string
  /** Only these affiliates; all by default. */
  affiliateIds?: number[] | undefined
}

const exclusions = [
  'test_only',
  'not_approved',
  'in_review',
  'on_hold',
  'negative_balance',
  'below_minimum',
  'no_payout_address',
  'out_of_range',
] as const
type Exclusion = (typeof exclusions)[number]

/** What an affiliate would be paid, or why they are excluded. */
export interface PayableRow {
  affiliate_id: number
  email: string
  name: string | null
  paypal_email: string | null
  /** The balance in this campaign: payable, on hold, in review, or in another payout. */
  balance_minor: number
  payable_minor: number
  on_hold_minor: number
  /** Entries of referrals in review, whether or not the entry itself is approved. */
  in_review_minor: number
  in_payout_minor: number
  /** How many entries the item would contain. */
  entries: number
  reason: Exclusion | null
}

/**
 * Shared by preview and creation, so that both see the same. `open` is every unpaid entry. Negative entries count regardless of the
 * cut-off, unless the entry they claw back is after it too: a known refund is not paid out first and clawed back later. Credit and its
 * clawbacks are not money. Review takes precedence over approval: an entry of a referral in review is not payable even if approved, except
 * for a clawback of an entry that is already paid.
 */
const judged = (accountId: number, scope: PayableScope): Sql => sql`
  open AS (
    SELECT c.id, c.affiliate_id, c.payout_amount_minor AS amount_minor, c.status = 'pending' AND NOT review.in_review AS on_hold,
           p.commission_id IS NOT NULL AS pinned, test.is_test, review.in_review AND p.commission_id IS NULL AS in_review,
           c.status = 'approved' AND p.commission_id IS NULL AND NOT test.is_test AND NOT review.in_review AS payable
      FROM commissions c
      -- Test referrals are few and indexed: they are read once, instead of every entry's referral.
      CROSS JOIN LATERAL (SELECT coalesce(c.referral_id IN (
        SELECT r.id FROM referrals r WHERE r.account_id = ${accountId} AND r.is_test), false) AS is_test) test
      -- The same for those in review.
      CROSS JOIN LATERAL (SELECT coalesce(c.referral_id IN (
        SELECT r.id FROM referrals r WHERE r.account_id = ${accountId} AND r.status = 'pending_review'), false)
          AND NOT ${takesBackPaid(accountId)} AS in_review) review
      LEFT JOIN pinned_commissions p ON p.account_id = c.account_id AND p.commission_id = c.id AND NOT p.released
     WHERE c.account_id = ${accountId} AND c.campaign_id = ${scope.campaignId} AND c.status IN ('pending', 'approved')
       AND ${isTheirs} AND c.entry_type IN ('earned', 'clawback', 'adjustment')
       AND (c.created_at <= ${scope.cutOff} OR c.payout_amount_minor < 0)
       AND NOT EXISTS (SELECT 1 FROM commissions e
                        WHERE e.account_id = ${accountId} AND e.id = c.clawback_of
                          AND (e.entry_type = 'credit' OR e.created_at > ${scope.cutOff}))
       AND NOT ${isCreditGivenBack(accountId)}
       AND ${all(when(scope.affiliateIds, ids => sql`c.affiliate_id = ANY (${ids}::bigint[])`))}
  ), totals AS (
    SELECT o.affiliate_id, bool_and(o.is_test) FILTER (WHERE NOT o.pinned) AS test_only,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.payable), 0) AS payable_minor,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.on_hold AND NOT o.is_test), 0) AS on_hold_minor,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.in_review AND NOT o.is_test), 0) AS in_review_minor,
           bool_or(o.in_review AND NOT o.is_test) AS has_review,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.pinned), 0) AS in_payout_minor,
           count(*) FILTER (WHERE o.payable)::integer AS entries,
           -- An order-independent hash of the entries: sorting a million of them took longer than everything else.
           bit_xor(hashint8extended(o.id, 0)) FILTER (WHERE o.payable) AS ids
      FROM open o GROUP BY o.affiliate_id HAVING bool_or(NOT o.pinned)
  ), single AS (
    SELECT t.affiliate_id, a.email, a.name, a.paypal_email, t.payable_minor, t.on_hold_minor, t.in_review_minor, t.in_payout_minor, t.entries,
           concat_ws(' ', t.affiliate_id, t.payable_minor, t.entries, t.ids, coalesce(a.paypal_email, '-')) AS content,
           (t.payable_minor + t.on_hold_minor + t.in_review_minor + t.in_payout_minor) AS balance_minor,
           CASE WHEN t.test_only THEN 'test_only'
                WHEN a.status <> 'approved' THEN 'not_approved'
                WHEN t.entries = 0 AND t.has_review THEN 'in_review'
                WHEN t.entries = 0 THEN 'on_hold'
                WHEN t.payable_minor < 0 THEN 'negative_balance'
                WHEN t.payable_minor < greatest(${scope.minimumMinor}, 1) THEN 'below_minimum'
                WHEN ${scope.needsPayPalAddress} AND a.paypal_email IS NULL THEN 'no_payout_address'
                -- Exceeds the largest amount. The other affiliates are still paid.
                WHEN t.payable_minor > 9007199254740991 THEN 'out_of_range' END AS reason
      FROM totals t JOIN affiliates a ON a.account_id = ${accountId} AND a.id = t.affiliate_id
  ), judged AS (
    -- The batch total is limited too: affiliates that do not fit are in the next payout.
    SELECT s.affiliate_id, s.email, s.name, s.paypal_email, s.payable_minor, s.on_hold_minor, s.in_review_minor, s.in_payout_minor, s.entries,
           s.content, s.balance_minor,
           CASE WHEN s.reason IS NULL AND sum(s.payable_minor) FILTER (WHERE s.reason IS NULL)
                       OVER (ORDER BY s.affiliate_id ROWS UNBOUNDED PRECEDING) > 9007199254740991
                THEN 'out_of_range' ELSE s.reason END AS reason
      FROM single s
  )`

/** Raises the memory for sorting and hashing a large campaign until the transaction ends. */
const raiseWorkMem = (tx: Tx) => tx.many(sql`SELECT set_config('work_mem', '128MB', true)`)

/** Filters the affiliates of a dry run: paid, excluded, or excluded for one reason. */
export interface WantedRows {
  only?: 'all' | 'paid' | 'excluded'
  reason?: Exclusion
}

const isWanted = ({ only = 'all', reason }: WantedRows): Sql =>
  all(
    only === 'all' ? undefined : only === 'paid' ? sql`reason IS NULL` : sql`reason IS NOT NULL`,
    when(reason, known => sql`reason = ${known}`),
  )

/** Every affiliate with open entries, by id. */
export async function* streamPayable(
  tx: Tx,
  accountId: number,
  scope: PayableScope,
  wanted: WantedRows = {},
): AsyncGenerator<(PayableRow & { content: string })[]> {
  await raiseWorkMem(tx)
  yield* tx.stream<PayableRow & { content: string }>(sql`
    WITH ${judged(accountId, scope)}
    SELECT affiliate_id, email, name, paypal_email, balance_minor, payable_minor, on_hold_minor, in_review_minor, in_payout_minor, entries, reason,
           content
      FROM judged WHERE ${isWanted(wanted)} ORDER BY affiliate_id`)
}

export interface PayableSummary {
  items: number
  total_minor: number
  /** A hash of everything that determines the payments: it changes with any entry, amount or address. */
  digest: string
  /** The number of excluded affiliates by reason. */
  excluded: Partial<Record<Exclusion, number>>
}

/** The first line of the digest's input: the same affiliates on another rail are a different payout. */
export const headOf = ({ campaignId, rail, currency }: PayableScope) => `${campaignId} ${rail} ${currency}\n`

const summary = (scope: PayableScope): Sql => sql`
  summary AS (
    SELECT count(*)::integer AS items, coalesce(sum(payable_minor), 0) AS total_minor,
           encode(sha256(convert_to(${headOf(scope)} || coalesce(string_agg(content || E'\n', '' ORDER BY affiliate_id), ''), 'UTF8')), 'hex') AS digest,
           coalesce((SELECT json_object_agg(x.reason, x.affiliates) FROM (
             SELECT reason, count(*) AS affiliates FROM judged WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason) x), '{}') AS excluded
      FROM judged WHERE reason IS NULL
  )`

/** The summary of a payout and one page of its affiliates, from the same snapshot. */
export async function readPayable(
  tx: Tx,
  accountId: number,
  scope: PayableScope,
  { after, limit, ...wanted }: WantedRows & { after: number; limit: number },
): Promise<PayableSummary & { rows: PayableRow[] }> {
  await raiseWorkMem(tx)
  const row = await tx.first<PayableSummary & { rows: PayableRow[] }>(sql`
    WITH ${judged(accountId, scope)}, ${summary(scope)}, page AS (
      SELECT affiliate_id, email, name, paypal_email, balance_minor, payable_minor, on_hold_minor, in_review_minor, in_payout_minor, entries, reason
        FROM judged WHERE affiliate_id > ${after} AND ${isWanted(wanted)} ORDER BY affiliate_id LIMIT ${limit}
    )
    SELECT s.items, s.total_minor, s.digest, s.excluded,
           coalesce((SELECT json_agg(page ORDER BY page.affiliate_id) FROM page), '[]') AS rows
      FROM summary s`)
  return row as PayableSummary & { rows: PayableRow[] }
}

/**
 * Creates the payout, its items and their pinned entries from what the preview would show now, in one statement and thus one snapshot.
 * Creates nothing if there is nothing to pay or the digest does not match.
 */
export async function insertPayout(
  tx: Tx,
  accountId: number,
  scope: PayableScope & { digest: string | undefined },
): Promise<PayableSummary & { payout_id: number | null }> {
  await raiseWorkMem(tx)
  const row = await tx.first<PayableSummary & { payout_id: number | null }>(sql`
    WITH ${judged(accountId, scope)}, ${summary(scope)}, payout AS (
      INSERT INTO payouts (account_id, campaign_id, rail, status, currency, total_minor, minimum_payout_minor, cut_off, digest)
      SELECT ${accountId}, ${scope.campaignId}, ${scope.rail}, 'pending', ${scope.currency}, s.total_minor, ${scope.minimumMinor},
             ${scope.cutOff}, s.digest
        FROM summary s WHERE s.items > 0 AND s.digest = coalesce(${scope.digest ?? null}, s.digest)
      RETURNING id
    ), items AS (
      INSERT INTO payout_items (account_id, payout_id, affiliate_id, amount_minor, currency, status, payout_address)
      SELECT ${accountId}, payout.id, j.affiliate_id, j.payable_minor, ${scope.currency}, 'pending', j.paypal_email
        FROM payout, judged j WHERE j.reason IS NULL ORDER BY j.affiliate_id
      RETURNING id, affiliate_id
    ), pins AS (
      INSERT INTO pinned_commissions (account_id, commission_id, payout_item_id)
      -- In index order, so that a million inserts hit adjacent pages.
      SELECT ${accountId}, o.id, i.id FROM items i JOIN open o ON o.affiliate_id = i.affiliate_id WHERE o.payable ORDER BY o.id
    )
    SELECT s.items, s.total_minor, s.digest, s.excluded, payout.id AS payout_id FROM summary s LEFT JOIN payout ON true`)
  return row as PayableSummary & { payout_id: number | null }
}
