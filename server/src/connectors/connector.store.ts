import { NOW } from '../db/current-time.ts'
import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { ReadSettings } from './provider.ts'

export interface ConnectorRow {
  account_id: number
  id: number
  provider: string
  /** Part of its external IDs; null for most. */
  name: string | null
  api_url: string | null
  has_api_key: boolean
  /** Added before the provider showed its signing secret. */
  needs_secret: boolean
  campaign_id: number | null
  base: ReadSettings['base']
  takes_tests: boolean
  mapping: Record<string, unknown>
  /** The provider's coupon that the codes of affiliates belong to; null if none are created. */
  code_coupon: string | null
  /** Since when credit rewards are granted at the provider; null if they aren't. */
  credits_since: string | null
  created_at: string
  synced_at: string | null
  /** Why the last sync failed or was not complete. */
  sync_problem: string | null
}

const columns = sql`c.account_id, c.id, c.provider, c.name, c.api_url, c.sealed_api_key IS NOT NULL AS has_api_key, c.needs_secret, c.campaign_id, c.base,
  c.takes_tests, c.mapping, c.code_coupon, c.credits_since, c.created_at, c.synced_at, c.sync_problem`

export interface NewConnector {
  provider: string
  name: string | null
  sealedSecret: Buffer
  needsSecret: boolean
  sealedApiKey: Buffer | null
  apiUrl: string | null
  campaignId: number | null
  base: ReadSettings['base']
  takesTests: boolean
  mapping: Record<string, unknown>
}

export async function insertConnector(
  db: Db,
  accountId: number,
  connector: NewConnector,
): Promise<ConnectorRow> {
  const row = await db.first<ConnectorRow>(sql`
    INSERT INTO connectors AS c (account_id, provider, name, sealed_secret, needs_secret, sealed_api_key, api_url, campaign_id, base, takes_tests, mapping)
    VALUES (${accountId}, ${connector.provider}, ${connector.name}, ${connector.sealedSecret}, ${connector.needsSecret}, ${connector.sealedApiKey},
            ${connector.apiUrl}, ${connector.campaignId}, ${connector.base}, ${connector.takesTests}, ${connector.mapping})
    RETURNING ${columns}`)
  return row as ConnectorRow
}

export function listConnectors(db: Db, accountId: number): Promise<ConnectorRow[]> {
  return db.many(sql`
    SELECT ${columns} FROM connectors c WHERE c.account_id = ${accountId} AND c.removed_at IS NULL ORDER BY c.id`)
}

export function findConnector(db: Db, accountId: number, id: number): Promise<ConnectorRow | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM connectors c
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL`)
}

/** What verifying an event needs. A webhook URL contains the ID alone. */
export interface Receiver {
  account_id: number
  provider: string
  sealed_secret: Buffer | null
  mapping: Record<string, unknown>
}

export function findReceiver(db: Db, id: number): Promise<Receiver | undefined> {
  return db.first(sql`
    /* every account */
    SELECT c.account_id, c.provider, c.sealed_secret, c.mapping FROM connectors c WHERE c.id = ${id} AND c.removed_at IS NULL`)
}

export async function findApiKey(db: Db, accountId: number, id: number): Promise<Buffer | undefined> {
  const row = await db.first<{ sealed_api_key: Buffer | null }>(sql`
    SELECT c.sealed_api_key FROM connectors c WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL`)
  return row?.sealed_api_key ?? undefined
}

export interface SyncClaim {
  account_id: number
  id: number
  /** When it was synced before. */
  since: string
  claimed_at: string
}

/**
 * Takes a connector that was not synced for a day, or never since it has its key, of any account, and notes that a process is at it: of
 * several processes one does it. If that one fails, another tries after a few hours, from the same time on.
 */
export function claimUnsynced(db: Db): Promise<SyncClaim | undefined> {
  return db.first(sql`
    /* every account */
    WITH stale AS (
      SELECT c.account_id, c.id, coalesce(c.synced_at, c.created_at) AS before FROM connectors c
       WHERE c.sealed_api_key IS NOT NULL
         AND (c.synced_at IS NULL AND c.sync_claimed_at IS NULL OR coalesce(c.synced_at, c.created_at) < now() - interval '1 day')
         AND (c.sync_claimed_at IS NULL OR c.sync_claimed_at < now() - interval '6 hours')
       ORDER BY c.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE connectors c SET sync_claimed_at = now() FROM stale
     WHERE c.account_id = stale.account_id AND c.id = stale.id
    RETURNING c.account_id, c.id, stale.before AS since, now()::timestamptz(3) AS claimed_at`)
}

/** Makes a connector whose sync was interrupted due again, from the same time on. */
export async function releaseSync(
  db: Db,
  { account_id: accountId, id, claimed_at }: SyncClaim,
): Promise<void> {
  await db.many(sql`
    UPDATE connectors c SET sync_claimed_at = NULL
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.sync_claimed_at = ${claimed_at}`)
}

/** Notes that a connector is synced up to the moment at which that was begun. */
export async function recordSync(
  db: Db,
  { account_id: accountId, id, claimed_at }: SyncClaim,
): Promise<void> {
  await db.many(sql`
    UPDATE connectors c SET synced_at = ${claimed_at} WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

/** Keeps why a sync failed or was not complete; null if nothing is wrong. */
export async function recordSyncProblem(
  db: Db,
  accountId: number,
  id: number,
  problem: string | null,
): Promise<void> {
  await db.many(sql`
    UPDATE connectors c SET sync_problem = left(${problem}, 500)
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.sync_problem IS DISTINCT FROM left(${problem}, 500)`)
}

/**
 * The ID of the first connector in the namespace of `c`. The process that locks it processes the events of the namespace; it never changes, as
 * connectors are not deleted. It is locked before `c`, which processes of an earlier version lock alone.
 */
const firstOfNamespace = sql`(
  SELECT min(o.id) FROM connectors o
   WHERE o.account_id = c.account_id AND o.provider = c.provider AND o.name IS NOT DISTINCT FROM c.name)`

/**
 * Locks a connector that has events to process, of any account, or returns undefined: they take turns. The events of a namespace are
 * processed one after the other: a refund that finds no sale and the sale itself never pass each other by.
 */
export function lockBusyConnector(tx: Tx): Promise<ConnectorRow | undefined> {
  return tx.first(sql`
    /* every account */
    SELECT ${columns} FROM connectors c
      JOIN connectors n ON n.account_id = c.account_id AND n.id = ${firstOfNamespace}
     WHERE EXISTS (SELECT 1 FROM connector_events e
                    WHERE e.account_id = c.account_id AND e.connector_id = c.id AND e.due_at <= ${NOW})
     ORDER BY c.processed_at NULLS FIRST, c.id LIMIT 1 FOR NO KEY UPDATE OF n, c SKIP LOCKED`)
}

/** Locks one connector; waits for the process that is at work on its namespace. */
export function lockConnector(tx: Tx, accountId: number, id: number): Promise<ConnectorRow | undefined> {
  return tx.first(sql`
    SELECT ${columns} FROM connectors c
      JOIN connectors n ON n.account_id = ${accountId} AND n.id = ${firstOfNamespace}
     WHERE c.account_id = ${accountId} AND c.id = ${id} FOR NO KEY UPDATE OF n, c`)
}

/** Notes that a connector had its turn. */
export async function recordTurn(tx: Tx, { account_id: accountId, id }: ConnectorRow): Promise<void> {
  await tx.many(sql`
    UPDATE connectors c SET processed_at = clock_timestamp() WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

/** Replaces the secrets that are given. With another API key it is synced soon, whatever was wrong with the one before. */
export function updateSecrets(
  db: Db,
  accountId: number,
  id: number,
  secrets: { sealedSecret: Buffer | null; sealedApiKey: Buffer | null },
): Promise<ConnectorRow | undefined> {
  return db.first(sql`
    UPDATE connectors c
       SET sealed_secret = coalesce(${secrets.sealedSecret}, c.sealed_secret),
           needs_secret = c.needs_secret AND ${secrets.sealedSecret}::bytea IS NULL,
           sealed_api_key = coalesce(${secrets.sealedApiKey}, c.sealed_api_key),
           sync_problem = CASE WHEN ${secrets.sealedApiKey}::bytea IS NULL THEN c.sync_problem END,
           sync_claimed_at = CASE WHEN ${secrets.sealedApiKey}::bytea IS NULL THEN c.sync_claimed_at END
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL RETURNING ${columns}`)
}

/** Replaces the mapping. Events that are not processed yet are read with the new one. */
export function updateMapping(
  db: Db,
  accountId: number,
  id: number,
  mapping: Record<string, unknown>,
): Promise<ConnectorRow | undefined> {
  return db.first(sql`
    UPDATE connectors c SET mapping = ${mapping}
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL RETURNING ${columns}`)
}

/** Sets the coupon that new codes belong to; null to create none. */
export function updateCodeCoupon(
  db: Db,
  accountId: number,
  id: number,
  coupon: string | null,
): Promise<ConnectorRow | undefined> {
  return db.first(sql`
    UPDATE connectors c SET code_coupon = ${coupon}
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL RETURNING ${columns}`)
}

/** Turns granting credit on, from now on, or off. */
export function updateCreditsSince(
  db: Db,
  accountId: number,
  id: number,
  isOn: boolean,
): Promise<ConnectorRow | undefined> {
  return db.first(sql`
    UPDATE connectors c SET credits_since = CASE WHEN ${isOn} THEN coalesce(c.credits_since, now()) END
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL RETURNING ${columns}`)
}

/** When the newest event of each connector arrived. */
export async function lastEventTimes(db: Db, accountId: number): Promise<Map<number, string>> {
  const rows = await db.many<{ id: number; last_event_at: string | null }>(sql`
    SELECT c.id, (SELECT e.received_at FROM connector_events e
                   WHERE e.account_id = ${accountId} AND e.connector_id = c.id ORDER BY e.id DESC LIMIT 1) AS last_event_at
      FROM connectors c WHERE c.account_id = ${accountId} AND c.removed_at IS NULL`)
  return new Map(
    rows.flatMap(({ id, last_event_at }) => (last_event_at === null ? [] : [[id, last_event_at]])),
  )
}

/** Its events stay: they explain what they made. The secret does not. */
export async function removeConnector(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db.first(sql`
    UPDATE connectors c SET removed_at = now(), sealed_secret = NULL, sealed_api_key = NULL
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.removed_at IS NULL RETURNING c.id`)
  return row !== undefined
}
