import type { Tx } from '../../db/database.ts'
import { all, type Sql, sql, when } from '../../db/sql.ts'
import { isTheirs } from './own-money.ts'

/** Which entries a payout takes: those of one campaign, made until the cut-off, for one rail. */
export interface PayableScope {
  campaignId: number
  rail: string
  currency: string
  /** Whether the rail can reach only who gave a PayPal address. */
  needsPayPalAddress: boolean
  minimumMinor: number
  cutOff: string
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

/** What an affiliate would get, or why nothing. */
export interface PayableRow {
  affiliate_id: number
  email: string
  name: string | null
  paypal_email: string | null
  /** Everything that is owed in this campaign: payable, on hold, in review, or on its way in another payout. */
  balance_minor: number
  payable_minor: number
  on_hold_minor: number
  /** Of referrals in review, whether or not the commission itself was approved already. */
  in_review_minor: number
  in_payout_minor: number
  /** How many entries the item would pay. */
  entries: number
  reason: Exclusion | null
}

/**
 * The common part of preview and creation, so that both see the same. `open` is every entry that waits for payment. Entries below
 * zero count whatever the cut-off, unless what they take back comes after it too: what is known to be refunded is not paid out
 * first and asked back later. Credits are not money, and what was taken back of one is not either. Review beats approval: an entry of
 * a referral in review is not payable, approved or not, except for what it takes back of an entry that was paid already.
 */
const judged = (accountId: number, scope: PayableScope): Sql => sql`
  open AS (
    SELECT c.id, c.affiliate_id, c.payout_amount_minor AS amount_minor, c.status = 'pending' AND NOT review.in_review AS on_hold,
           p.commission_id IS NOT NULL AS pinned, test.is_test, review.in_review AND p.commission_id IS NULL AS in_review,
           c.status = 'approved' AND p.commission_id IS NULL AND NOT test.is_test AND NOT review.in_review AS payable
      FROM commissions c
      -- Tests are few and have an index: they are read once, and not the referral of every entry.
      CROSS JOIN LATERAL (SELECT coalesce(c.referral_id IN (
        SELECT r.id FROM referrals r WHERE r.account_id = ${accountId} AND r.is_test), false) AS is_test) test
      -- So are those in review.
      CROSS JOIN LATERAL (SELECT coalesce(c.referral_id IN (
        SELECT r.id FROM referrals r WHERE r.account_id = ${accountId} AND r.status = 'pending_review'), false)
          AND NOT EXISTS (SELECT 1 FROM commissions e
                           WHERE e.account_id = ${accountId} AND e.id = c.clawback_of AND e.status = 'paid') AS in_review) review
      LEFT JOIN pinned_commissions p ON p.account_id = c.account_id AND p.commission_id = c.id AND NOT p.released
     WHERE c.account_id = ${accountId} AND c.campaign_id = ${scope.campaignId} AND c.status IN ('pending', 'approved')
       AND ${isTheirs} AND c.entry_type IN ('earned', 'clawback', 'adjustment')
       AND (c.created_at <= ${scope.cutOff} OR c.payout_amount_minor < 0)
       AND NOT EXISTS (SELECT 1 FROM commissions e
                        WHERE e.account_id = ${accountId} AND e.id = c.clawback_of
                          AND (e.entry_type = 'credit' OR e.created_at > ${scope.cutOff}))
  ), totals AS (
    SELECT o.affiliate_id, bool_and(o.is_test) FILTER (WHERE NOT o.pinned) AS test_only,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.payable), 0) AS payable_minor,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.on_hold AND NOT o.is_test), 0) AS on_hold_minor,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.in_review AND NOT o.is_test), 0) AS in_review_minor,
           bool_or(o.in_review AND NOT o.is_test) AS has_review,
           coalesce(sum(o.amount_minor) FILTER (WHERE o.pinned), 0) AS in_payout_minor,
           count(*) FILTER (WHERE o.payable)::integer AS entries,
           -- Which entries they are, whatever their order: sorting a million of them took longer than everything else.
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
                -- More than an amount can be. The others are paid all the same.
                WHEN t.payable_minor > 9007199254740991 THEN 'out_of_range' END AS reason
      FROM totals t JOIN affiliates a ON a.account_id = ${accountId} AND a.id = t.affiliate_id
  ), judged AS (
    -- The batch has a total too: whoever does not fit into it is in the next one.
    SELECT s.affiliate_id, s.email, s.name, s.paypal_email, s.payable_minor, s.on_hold_minor, s.in_review_minor, s.in_payout_minor, s.entries,
           s.content, s.balance_minor,
           CASE WHEN s.reason IS NULL AND sum(s.payable_minor) FILTER (WHERE s.reason IS NULL)
                       OVER (ORDER BY s.affiliate_id ROWS UNBOUNDED PRECEDING) > 9007199254740991
                THEN 'out_of_range' ELSE s.reason END AS reason
      FROM single s
  )`

/** Room for sorting and hashing a large campaign in memory, for as long as the transaction lasts. */
const makeRoom = (tx: Tx) => tx.many(sql`SELECT set_config('work_mem', '128MB', true)`)

/** Which affiliates of a dry run are wanted: those who get something, those who do not, or for one reason alone. */
export interface WantedRows {
  only?: 'all' | 'paid' | 'excluded'
  reason?: Exclusion
}

const isWanted = ({ only = 'all', reason }: WantedRows): Sql =>
  all(
    only === 'all' ? undefined : only === 'paid' ? sql`reason IS NULL` : sql`reason IS NOT NULL`,
    when(reason, known => sql`reason = ${known}`),
  )

/** Every affiliate with something open, in the order of their ids. */
export async function* streamPayable(
  tx: Tx,
  accountId: number,
  scope: PayableScope,
  wanted: WantedRows = {},
): AsyncGenerator<(PayableRow & { content: string })[]> {
  await makeRoom(tx)
  yield* tx.stream<PayableRow & { content: string }>(sql`
    WITH ${judged(accountId, scope)}
    SELECT affiliate_id, email, name, paypal_email, balance_minor, payable_minor, on_hold_minor, in_review_minor, in_payout_minor, entries, reason,
           content
      FROM judged WHERE ${isWanted(wanted)} ORDER BY affiliate_id`)
}

export interface PayableSummary {
  items: number
  total_minor: number
  /** Everything that decides who is paid what, in one short text: it differs as soon as one entry, amount or address does. */
  digest: string
  /** How many affiliates get nothing, by the reason. */
  excluded: Partial<Record<Exclusion, number>>
}

/** Stands before everything else in what the digest is made of: the same people over another rail are another payout. */
export const headOf = ({ campaignId, rail, currency }: PayableScope) => `${campaignId} ${rail} ${currency}\n`

const summary = (scope: PayableScope): Sql => sql`
  summary AS (
    SELECT count(*)::integer AS items, coalesce(sum(payable_minor), 0) AS total_minor,
           encode(sha256(convert_to(${headOf(scope)} || coalesce(string_agg(content || E'\n', '' ORDER BY affiliate_id), ''), 'UTF8')), 'hex') AS digest,
           coalesce((SELECT json_object_agg(x.reason, x.affiliates) FROM (
             SELECT reason, count(*) AS affiliates FROM judged WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason) x), '{}') AS excluded
      FROM judged WHERE reason IS NULL
  )`

/** What a payout would hold, and of the affiliates with something open those after one, so many at most: all of one snapshot. */
export async function readPayable(
  tx: Tx,
  accountId: number,
  scope: PayableScope,
  { after, limit, ...wanted }: WantedRows & { after: number; limit: number },
): Promise<PayableSummary & { rows: PayableRow[] }> {
  await makeRoom(tx)
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
 * Makes the payout, its items and the pins of their entries out of what the preview would show at this moment, in one statement
 * and thus of one snapshot. Makes nothing when there is nothing to pay or the digest is not the one expected.
 */
export async function insertPayout(
  tx: Tx,
  accountId: number,
  scope: PayableScope & { digest: string | undefined },
): Promise<PayableSummary & { payout_id: number | null }> {
  await makeRoom(tx)
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
      -- In the order of their index, into which a million of them then go side by side.
      SELECT ${accountId}, o.id, i.id FROM items i JOIN open o ON o.affiliate_id = i.affiliate_id WHERE o.payable ORDER BY o.id
    )
    SELECT s.items, s.total_minor, s.digest, s.excluded, payout.id AS payout_id FROM summary s LEFT JOIN payout ON true`)
  return row as PayableSummary & { payout_id: number | null }
}
