import type { Creative } from '@tributary/contract/dashboard'
import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { FileType } from '../../kit/file-type.ts'

export interface CreativeRow extends Omit<Creative, 'file'> {
  file_type: FileType | null
  file_version: string | null
  /** In bytes. */
  file_length: number | null
  width: number | null
  height: number | null
}

/** Everything but the file. */
export const creativeColumns: Sql = sql`c.id, c.kind, c.name, c.campaign_id, g.name AS campaign_name, c.text, c.file_type, c.file_version,
  length(c.file) AS file_length, c.width, c.height, c.created_at`

/** New creatives come first until they are ordered. */
export const creativeOrder: Sql = sql`c.position, c.id DESC`

export function listCreatives(db: Db, accountId: number): Promise<CreativeRow[]> {
  return db.many(sql`
    SELECT ${creativeColumns}
      FROM creatives c LEFT JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id
     WHERE c.account_id = ${accountId} ORDER BY ${creativeOrder}`)
}

export async function countCreatives(tx: Tx, accountId: number): Promise<number> {
  const row = await tx.first<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM creatives c WHERE c.account_id = ${accountId}`)
  return row?.count ?? 0
}

export interface NewCreative {
  kind: Creative['kind']
  name: string
  campaignId: number | null
  text: string | null
  file: { bytes: Buffer; type: FileType; version: string; width: number | null; height: number | null } | null
}

export function insertCreative(
  tx: Tx,
  accountId: number,
  { kind, name, campaignId, text, file }: NewCreative,
): Promise<CreativeRow | undefined> {
  return tx.first(sql`
    WITH c AS (
      INSERT INTO creatives (account_id, kind, name, campaign_id, text, file, file_type, file_version, width, height)
      VALUES (${accountId}, ${kind}, ${name}, ${campaignId}, ${text}, ${file?.bytes ?? null}, ${file?.type ?? null},
              ${file?.version ?? null}, ${file?.width ?? null}, ${file?.height ?? null})
      RETURNING id, kind, name, campaign_id, text, file, file_type, file_version, width, height, created_at
    )
    SELECT ${creativeColumns} FROM c LEFT JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id`)
}

/** What is about to be changed: two changes at once wait for each other, so that each knows what it replaces. */
export function lockCreative(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<{ name: string; text: string | null } | undefined> {
  return tx.first(sql`
    SELECT c.name, c.text FROM creatives c WHERE c.account_id = ${accountId} AND c.id = ${id} FOR NO KEY UPDATE`)
}

export function updateCreative(
  tx: Tx,
  accountId: number,
  id: number,
  { name, text }: { name: string | null; text: string | null },
): Promise<CreativeRow | undefined> {
  return tx.first(sql`
    WITH c AS (
      UPDATE creatives x SET name = coalesce(${name}, x.name), text = coalesce(${text}, x.text)
       WHERE x.account_id = ${accountId} AND x.id = ${id}
      RETURNING id, kind, name, campaign_id, text, file, file_type, file_version, width, height, created_at
    )
    SELECT ${creativeColumns} FROM c LEFT JOIN campaigns g ON g.account_id = ${accountId} AND g.id = c.campaign_id`)
}

export async function orderCreatives(tx: Tx, accountId: number, ids: number[]): Promise<void> {
  await tx.many(sql`
    UPDATE creatives c SET position = o.position
      FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS o (id, position)
     WHERE c.account_id = ${accountId} AND c.id = o.id`)
}

/** Its name, if there was one. */
export function deleteCreative(tx: Tx, accountId: number, id: number): Promise<{ name: string } | undefined> {
  return tx.first(
    sql`DELETE FROM creatives c WHERE c.account_id = ${accountId} AND c.id = ${id} RETURNING c.name`,
  )
}

export interface StoredFile {
  name: string
  file: Buffer
  file_type: FileType
}

export function findCreativeFile(db: Db, accountId: number, id: number): Promise<StoredFile | undefined> {
  return db.first(sql`
    SELECT c.name, c.file, c.file_type FROM creatives c
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.file IS NOT NULL AND c.file_type IS NOT NULL`)
}

/** A banner by its version, for anyone: it is embedded in affiliates' sites. Documents are for signed-in affiliates only. */
export function findBanner(
  db: Db,
  accountId: number,
  id: number,
  version: string,
): Promise<StoredFile | undefined> {
  return db.first(sql`
    SELECT c.name, c.file, c.file_type FROM creatives c
     WHERE c.account_id = ${accountId} AND c.id = ${id} AND c.kind = 'banner' AND c.file_version = ${version}
       AND c.file IS NOT NULL AND c.file_type IS NOT NULL`)
}
