import type { SignalDecision, SignalKind } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { asJson, type Sql, sql } from '../../db/sql.ts'
import { knownZone, withKnownZones } from '../unknown-zones.store.ts'
import { type Found, scoreOf } from './signal.ts'
import { isWatched } from './traffic-facts.store.ts'

/** Days that a search reads from the raw rows; an account with more is searched when they are rolled up. */
const MOST_RAW_DAYS = 3

/**
 * Accounts with affiliates that are due to be searched, the longest ago first. Not those whose days are being rolled up, after an upgrade
 * or in another time zone: four weeks of raw rows are many.
 */
export function findUncheckedAccounts(
  db: Db,
  { minutes, limit }: { minutes: number; limit: number },
): Promise<{ id: number }[]> {
  return withKnownZones(db, unknownZones =>
    db.many(sql`
    /* every account */
    SELECT a.id FROM accounts a
      JOIN insight_accounts i ON i.account_id = a.id AND i.time_zone = a.time_zone
      LEFT JOIN signal_checks c ON c.account_id = a.id
     WHERE i.closed_until >= (now() AT TIME ZONE ${knownZone(sql`a.time_zone`, unknownZones)})::date - ${MOST_RAW_DAYS}::integer
       AND (SELECT count(*) FROM insight_marks m
             WHERE m.account_id = a.id AND m.with_visits AND m.at > now() - interval '28 days') <= ${MOST_RAW_DAYS}::integer
       AND (c.account_id IS NULL OR c.checked_at < now() - make_interval(mins => ${minutes}::integer))
       AND EXISTS (SELECT 1 FROM affiliates f WHERE f.account_id = a.id)
     ORDER BY c.checked_at NULLS FIRST, a.id LIMIT ${limit}`),
  )
}

/**
 * Notes that the account is searched now; false if that was done within the minutes. Of several processes, one gets true: the others wait
 * for its commit, and find it noted. Noted at the start, a search that fails is not repeated at once.
 */
export async function claimCheck(
  db: Db,
  accountId: number,
  { minutes }: { minutes: number },
): Promise<boolean> {
  const row = await db.first(sql`
    INSERT INTO signal_checks AS c (account_id, checked_at) SELECT a.id, now() FROM accounts a WHERE a.id = ${accountId}
    ON CONFLICT (account_id) DO UPDATE SET checked_at = now()
      WHERE c.checked_at < now() - make_interval(mins => ${minutes}::integer)
    RETURNING 1`)
  return row !== undefined
}

/**
 * Stores what was found. A new signal is opened and an open one updated; one that had closed is opened again. A decision stays, unless the
 * evidence has doubled since. Concurrent decisions hold the row, and are seen here.
 */
export async function saveFound(tx: Tx, accountId: number, found: Found[]): Promise<void> {
  const rows = found.toSorted(inLockOrder).map(each => ({
    affiliate_id: each.affiliateId,
    kind: each.kind,
    campaign_id: each.campaignId,
    score: scoreOf(each),
    evidence: { parts: each.parts, affiliates: each.affiliates },
    weight: each.weight,
  }))
  await tx.many(sql`
    INSERT INTO signals AS s (account_id, affiliate_id, kind, campaign_id, score, evidence, weight)
    SELECT ${accountId}, f.affiliate_id, f.kind, f.campaign_id, f.score, f.evidence, f.weight
      FROM json_to_recordset(${asJson(rows)}) AS f (affiliate_id bigint, kind text, campaign_id bigint, score smallint,
                                                   evidence jsonb, weight integer)
    ON CONFLICT ON CONSTRAINT signals_one_per_kind DO UPDATE
      SET score = excluded.score, evidence = excluded.evidence, weight = excluded.weight,
          status = 'open', decision = NULL, reason = NULL, decided_weight = NULL, decided_at = NULL,
          opened_at = CASE WHEN s.status = 'open' THEN s.opened_at ELSE now() END, updated_at = now()
      WHERE s.status <> 'decided' OR excluded.weight >= 2 * s.decided_weight`)
}

/** Whether a signal `s` is among those that were found. */
const isFound = (found: Found[]): Sql => sql`
  EXISTS (SELECT 1 FROM unnest(${found.map(({ affiliateId }) => affiliateId)}::bigint[],
                               ${found.map(({ kind }) => kind)}::text[],
                               ${found.map(({ campaignId }) => campaignId)}::bigint[]) AS f (affiliate_id, kind, campaign_id)
           WHERE f.affiliate_id = s.affiliate_id AND f.kind = s.kind AND f.campaign_id IS NOT DISTINCT FROM s.campaign_id)`

/** Notes that decided signals are still found, once a day. */
export async function noteStillFound(tx: Tx, accountId: number, found: Found[]): Promise<void> {
  await tx.many(sql`
    UPDATE signals s SET updated_at = now()
     WHERE s.account_id = ${accountId} AND s.status = 'decided' AND s.updated_at < now() - interval '1 day' AND ${isFound(found)}`)
}

/**
 * Closes signals of these kinds whose facts no longer hold: open ones at once, and decided ones after four weeks, so that the same again
 * is a new signal. Of every kind, those about affiliates who have been rejected: their facts aren't looked for any more.
 */
export async function closeOthers(
  tx: Tx,
  accountId: number,
  found: Found[],
  kinds: SignalKind[],
): Promise<void> {
  await tx.many(sql`
    UPDATE signals s SET status = 'closed', decision = NULL, reason = NULL, decided_weight = NULL, decided_at = NULL, updated_at = now()
     WHERE s.account_id = ${accountId}
       AND (s.kind = ANY (${kinds}::text[])
            OR EXISTS (SELECT 1 FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = s.affiliate_id AND NOT (${isWatched})))
       AND (s.status = 'open' OR s.status = 'decided' AND greatest(s.updated_at, s.decided_at) < now() - interval '28 days')
       AND NOT ${isFound(found)}`)
}

export interface OpenSignal {
  id: number
  kind: SignalKind
  affiliate_id: number
  campaign_id: number | null
}

/** In one order for all who lock signals, so that none waits for one that waits for it. */
const lockOrder = sql`s.affiliate_id, s.kind COLLATE "C", s.campaign_id NULLS FIRST`
const inLockOrder = (a: Found, b: Found) =>
  a.affiliateId - b.affiliateId ||
  Number(a.kind > b.kind) - Number(a.kind < b.kind) ||
  (a.campaignId ?? 0) - (b.campaignId ?? 0)

/** Locks the account's open and decided signals until the transaction ends, before any of them is written. */
export async function lockSignals(tx: Tx, accountId: number): Promise<void> {
  await tx.many(sql`
    SELECT 1 FROM signals s WHERE s.account_id = ${accountId} AND s.status IN ('open', 'decided') ORDER BY ${lockOrder} FOR UPDATE`)
}

/** The open signals about the affiliate of this one, locked until the transaction ends. */
export function lockOpenSignalsBeside(tx: Tx, accountId: number, id: number): Promise<OpenSignal[]> {
  return tx.many(sql`
    SELECT s.id, s.kind, s.affiliate_id, s.campaign_id FROM signals s
     WHERE s.account_id = ${accountId} AND s.status = 'open'
       AND s.affiliate_id = (SELECT o.affiliate_id FROM signals o WHERE o.account_id = ${accountId} AND o.id = ${id})
     ORDER BY ${lockOrder} FOR UPDATE`)
}

/** How many signals of each kind have been decided about. */
export async function countDecided(tx: Tx, accountId: number): Promise<Map<SignalKind, number>> {
  const rows = await tx.many<{ kind: SignalKind; decided: number }>(sql`
    SELECT s.kind, count(*)::integer AS decided FROM signals s WHERE s.account_id = ${accountId} AND s.status = 'decided' GROUP BY s.kind`)
  return new Map(rows.map(({ kind, decided }) => [kind, decided]))
}

export async function signalExists(tx: Tx, accountId: number, id: number): Promise<boolean> {
  return (
    (await tx.first(sql`SELECT 1 FROM signals s WHERE s.account_id = ${accountId} AND s.id = ${id}`)) !==
    undefined
  )
}

/** Records a decision about open signals, which the caller has locked. */
export async function saveDecision(
  tx: Tx,
  accountId: number,
  ids: number[],
  { decision, reason }: { decision: SignalDecision; reason: string | null },
): Promise<void> {
  await tx.many(sql`
    UPDATE signals s SET status = 'decided', decision = ${decision}, reason = ${reason}, decided_weight = s.weight, decided_at = now()
     WHERE s.account_id = ${accountId} AND s.id = ANY (${ids}::bigint[]) AND s.status = 'open'`)
}

/**
 * The affiliate's referrals in review, oldest first, up to the newest that the person has seen; in a campaign, if the signal is about one.
 * Locked until the transaction ends: one that is approved or reassigned meanwhile is not among them.
 */
export async function lockInReview(
  tx: Tx,
  accountId: number,
  { affiliateId, campaignId, upTo }: { affiliateId: number; campaignId: number | null; upTo: number },
  limit: number,
): Promise<number[]> {
  const rows = await tx.many<{ id: number }>(sql`
    SELECT r.id FROM referrals r
     WHERE r.account_id = ${accountId} AND r.affiliate_id = ${affiliateId} AND r.status = 'pending_review' AND r.id <= ${upTo}
       AND (${campaignId}::bigint IS NULL OR r.campaign_id = ${campaignId})
     ORDER BY r.id LIMIT ${limit} FOR NO KEY UPDATE`)
  return rows.map(({ id }) => id)
}
