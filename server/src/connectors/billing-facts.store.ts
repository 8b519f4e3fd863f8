import type { Db, ReadItems, Tx } from '../db/database.ts'
import { asJson, sql } from '../db/sql.ts'
import { emailOfCustomer } from '../earning/customers/customer-email.store.ts'
import { isOfNamespace } from './namespace.store.ts'
import type { RefundSource, SubscriptionReport } from './reading.ts'

/**
 * What a connector has said about its sales, payments and refunds. Each writes what it received itself, and reads what any connector of its
 * namespace received: one that was connected later knows no less. The caller holds the namespace's lock.
 */
export interface Place {
  accountId: number
  connectorId: number
}

/** The sale of a payment, the code of its ID. */
type LinkKind = 'payment' | 'code'

/** What stands behind a reference. Without a time the first one said counts, else the newest, in whatever order they arrive. */
export async function insertLink(
  tx: Tx,
  { accountId, connectorId }: Place,
  link: { kind: LinkKind; ref: string; target: string; occurredAt?: string },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO connector_links AS l (account_id, connector_id, kind, ref, target, occurred_at)
    VALUES (${accountId}, ${connectorId}, ${link.kind}, ${link.ref}, ${link.target}, ${link.occurredAt ?? null})
    ON CONFLICT (account_id, connector_id, kind, ref) DO UPDATE
      SET target = excluded.target, occurred_at = excluded.occurred_at
    WHERE (coalesce(l.occurred_at, '-infinity'), l.target) < (excluded.occurred_at, excluded.target)`)
}

/** More emails than this are not of one person. */
const MOST_EMAILS = 20

/**
 * Keeps the hash of a customer's email: the newest by the time of its event, and the lowest of all, so that the same ones are kept in whatever
 * order they arrive.
 */
export async function insertEmail(
  tx: Tx,
  { accountId, connectorId }: Place,
  { customer, hash, occurredAt }: { customer: string; hash: string; occurredAt: string },
): Promise<void> {
  const isNewer = sql`(coalesce(l.occurred_at, '-infinity'), l.target) < (excluded.occurred_at, excluded.target)`
  await tx.many(sql`
    INSERT INTO connector_links AS l (account_id, connector_id, kind, ref, target, occurred_at, targets)
    VALUES (${accountId}, ${connectorId}, 'email', ${customer}, ${hash}, ${occurredAt}, ARRAY[${hash}::text])
    ON CONFLICT (account_id, connector_id, kind, ref) DO UPDATE
      SET target = CASE WHEN ${isNewer} THEN excluded.target ELSE l.target END,
          occurred_at = greatest(l.occurred_at, excluded.occurred_at),
          -- The target too: a process of the version before stores no others.
          targets = ARRAY(SELECT DISTINCT hash FROM unnest(l.targets || l.target || excluded.target) AS hash ORDER BY hash LIMIT ${MOST_EMAILS})
    WHERE ${isNewer} OR excluded.target <> ALL (coalesce(l.targets, ARRAY[l.target]))`)
}

/**
 * What is known of a customer's emails: hashes of those that any connector of the account has reported, also a removed one, and that the
 * visitor left with one of the clicks; and the address that is kept.
 */
export const findKnownEmails: ReadItems<
  { ref: string; clickIds: number[] },
  { hashes: string[]; kept: string | null }
> = (tx, accountId, customers) =>
  tx.many<{ hashes: string[]; kept: string | null }>(sql`
    SELECT ARRAY(
             SELECT unnest(coalesce(l.targets, '{}') || l.target) FROM connectors k
               JOIN connector_links l ON l.account_id = ${accountId} AND l.connector_id = k.id AND l.kind = 'email' AND l.ref = given.ref
              WHERE k.account_id = ${accountId}
              UNION ALL
             SELECT encode(t.email_hash, 'hex') FROM tracked_leads t
              WHERE t.account_id = ${accountId} AND t.click_id = ANY (given."clickIds")
           ) AS hashes, ${emailOfCustomer(accountId, sql`given.ref`)} AS kept
      FROM json_to_recordset(${asJson(customers)}) AS given (ref text, "clickIds" bigint[])`)

/** Lets a payment belong to another sale, with the refunds of the sale it belonged to. */
export async function moveToSale(
  tx: Tx,
  { accountId, connectorId }: Place,
  { payment, from, to }: { payment: string; from: string; to: string },
): Promise<void> {
  await tx.many(sql`
    UPDATE connector_links l SET target = ${to}
     WHERE l.account_id = ${accountId} AND ${isOfNamespace(sql`l.connector_id`, accountId, connectorId)} AND l.kind = 'payment' AND l.ref = ${payment}`)
  await tx.many(sql`
    UPDATE connector_refunds r SET sale_external_id = ${to}
     WHERE r.account_id = ${accountId} AND ${isOfNamespace(sql`r.connector_id`, accountId, connectorId)} AND r.sale_external_id = ${from}`)
}

/** Of several connectors' links, the one counts that would if one had said them all. */
export async function findLinks(
  tx: Db,
  { accountId, connectorId }: Place,
  kind: LinkKind,
  refs: string[],
): Promise<Map<string, string>> {
  const rows = await tx.many<{ ref: string; target: string }>(sql`
    SELECT DISTINCT ON (l.ref) l.ref, l.target FROM connector_links l
     WHERE l.account_id = ${accountId} AND ${isOfNamespace(sql`l.connector_id`, accountId, connectorId)} AND l.kind = ${kind} AND l.ref = ANY (${refs}::text[])
     ORDER BY l.ref, l.occurred_at DESC NULLS LAST, l.connector_id`)
  return new Map(rows.map(({ ref, target }) => [ref, target]))
}

export interface BilledSale {
  external_id: string
  customer: string
  amount_minor: number
  paid_minor: number
  currency: string
  subscription: string | null
  occurred_at: string
}

const saleColumns = sql`b.external_id, b.customer, b.amount_minor, b.paid_minor, b.currency, b.subscription, b.occurred_at`

export async function insertBilledSale(
  tx: Tx,
  { accountId, connectorId }: Place,
  sale: BilledSale & { products: string[] },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO connector_sales (account_id, connector_id, external_id, customer, amount_minor, paid_minor, currency, subscription,
      products, occurred_at)
    VALUES (${accountId}, ${connectorId}, ${sale.external_id}, ${sale.customer}, ${sale.amount_minor}, ${sale.paid_minor},
      ${sale.currency}, ${sale.subscription}, ${sale.products}, ${sale.occurred_at})
    ON CONFLICT (account_id, connector_id, external_id) DO NOTHING`)
}

export interface KnownSale extends BilledSale {
  /** Whether this connector reported it itself, and not only another one of its namespace. */
  is_own: boolean
}

export function findBilledSale(
  tx: Db,
  { accountId, connectorId }: Place,
  externalId: string,
): Promise<KnownSale | undefined> {
  return tx.first(sql`
    SELECT ${saleColumns}, b.connector_id = ${connectorId} AS is_own FROM connector_sales b
     WHERE b.account_id = ${accountId} AND ${isOfNamespace(sql`b.connector_id`, accountId, connectorId)} AND b.external_id = ${externalId}
     ORDER BY is_own DESC, b.connector_id LIMIT 1`)
}

/** A customer's sales since a time, or the one named, that no affiliate was credited for. In id order: the lowest is the first for rules that ask. */
export function findUncreditedSales(
  tx: Db,
  { accountId, connectorId }: Place,
  which: { customer: string; since: string } | { externalId: string },
): Promise<BilledSale[]> {
  const isMeant =
    'externalId' in which
      ? sql`b.external_id = ${which.externalId}`
      : sql`b.customer = ${which.customer} AND b.occurred_at >= ${which.since}`
  return tx.many(sql`
    SELECT DISTINCT ON (s.id) ${saleColumns} FROM connector_sales b
      JOIN sales s ON s.account_id = ${accountId} AND s.external_id = b.external_id AND s.referral_id IS NULL
       AND s.replaced_by IS NULL
     WHERE b.account_id = ${accountId} AND ${isOfNamespace(sql`b.connector_id`, accountId, connectorId)} AND ${isMeant}
     ORDER BY s.id, b.connector_id`)
}

/** Records what is known of a refund. A reversal is final, in whatever order the two arrive; a total only grows. */
export async function upsertRefund(
  tx: Tx,
  { accountId, connectorId }: Place,
  refund: {
    externalId: string
    source: RefundSource
    saleExternalId: string | null
    amountMinor: number | null
    isReversed: boolean
  },
): Promise<void> {
  await tx.many(sql`
    INSERT INTO connector_refunds AS r (account_id, connector_id, external_id, kind, sale_external_id, amount_minor, is_reversed)
    VALUES (${accountId}, ${connectorId}, ${refund.externalId}, ${refund.source}, ${refund.saleExternalId}, ${refund.amountMinor},
            ${refund.isReversed})
    ON CONFLICT (account_id, connector_id, external_id) DO UPDATE
      SET sale_external_id = coalesce(r.sale_external_id, excluded.sale_external_id),
          amount_minor = CASE WHEN r.kind = 'total' THEN greatest(r.amount_minor, excluded.amount_minor)
                              ELSE coalesce(r.amount_minor, excluded.amount_minor) END,
          is_reversed = r.is_reversed OR excluded.is_reversed`)
}

export interface KnownRefund {
  kind: RefundSource
  sale_external_id: string | null
  amount_minor: number | null
  is_reversed: boolean
}

/** What several connectors know of a refund together: see `upsertRefund`. */
const refundColumns = sql`
  min(r.kind) AS kind, max(r.sale_external_id) AS sale_external_id, max(r.amount_minor) AS amount_minor, bool_or(r.is_reversed) AS is_reversed`

export function findKnownRefund(
  tx: Db,
  { accountId, connectorId }: Place,
  externalId: string,
): Promise<KnownRefund | undefined> {
  return tx.first(sql`
    SELECT ${refundColumns} FROM connector_refunds r
     WHERE r.account_id = ${accountId} AND ${isOfNamespace(sql`r.connector_id`, accountId, connectorId)} AND r.external_id = ${externalId}
     GROUP BY r.external_id`)
}

export function refundsOfBilledSale(
  tx: Db,
  { accountId, connectorId }: Place,
  saleExternalId: string,
): Promise<KnownRefund[]> {
  return tx.many(sql`
    SELECT ${refundColumns} FROM connector_refunds r
     WHERE r.account_id = ${accountId} AND ${isOfNamespace(sql`r.connector_id`, accountId, connectorId)}
       -- A connector that knows of a reversal may not know the sale.
       AND r.external_id IN (SELECT m.external_id FROM connector_refunds m
                              WHERE m.account_id = ${accountId} AND ${isOfNamespace(sql`m.connector_id`, accountId, connectorId)}
                                AND m.sale_external_id = ${saleExternalId})
     GROUP BY r.external_id`)
}

/** The refunds of a sale that are in force, newest first. */
export function refundsInForce(
  tx: Db,
  accountId: number,
  saleExternalId: string,
): Promise<{ external_id: string; amount_minor: number }[]> {
  return tx.many(sql`
    SELECT f.external_id, f.amount_minor FROM refunds f
      JOIN sales s ON s.account_id = ${accountId} AND s.id = f.sale_id
     WHERE f.account_id = ${accountId} AND s.external_id = ${saleExternalId} AND f.reversed_at IS NULL ORDER BY f.id DESC`)
}

/** The newest state wins, in whatever order they arrive. */
export async function upsertSubscription(
  tx: Tx,
  { accountId, connectorId }: Place,
  { subscription, customer, status, occurredAt }: SubscriptionReport,
): Promise<void> {
  await tx.many(sql`
    INSERT INTO connector_subscriptions AS u (account_id, connector_id, subscription, customer, status, occurred_at)
    VALUES (${accountId}, ${connectorId}, ${subscription}, ${customer}, ${status}, ${occurredAt})
    ON CONFLICT (account_id, connector_id, subscription) DO UPDATE
      SET customer = excluded.customer, status = excluded.status, occurred_at = excluded.occurred_at
    WHERE (u.occurred_at, u.status) < (excluded.occurred_at, excluded.status)`)
}

/** Whether a subscription that is known already belongs to a customer who was referred, but not in this campaign. */
export async function isReferredElsewhere(
  db: Db,
  { accountId, connectorId }: Place,
  { customer, subscription, campaignId }: { customer: string; subscription: string; campaignId: number },
): Promise<boolean> {
  const row = await db.first<{ is_elsewhere: boolean }>(sql`
    SELECT coalesce(bool_and(r.campaign_id <> ${campaignId}), false) AND (
             EXISTS (SELECT 1 FROM connector_subscriptions u
                      WHERE u.account_id = ${accountId} AND ${isOfNamespace(sql`u.connector_id`, accountId, connectorId)}
                         AND u.subscription = ${subscription})
             OR EXISTS (SELECT 1 FROM connector_sales b
                         WHERE b.account_id = ${accountId} AND ${isOfNamespace(sql`b.connector_id`, accountId, connectorId)} AND b.customer = ${customer}
                           AND b.subscription = ${subscription})) AS is_elsewhere
      FROM referrals r WHERE r.account_id = ${accountId} AND r.customer_ref = ${customer}`)
  return row?.is_elsewhere === true
}
