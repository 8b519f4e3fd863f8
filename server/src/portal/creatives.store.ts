import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import {
  type CreativeRow,
  creativeColumns,
  creativeOrder,
  type StoredFile,
} from '../programme/creatives/creative.store.ts'
import type { Own } from './portal-lists.store.ts'

/** Of an affiliate who is approved: for every campaign, or for one that they are in. */
const isForThem = ({ accountId, affiliateId }: Own) => sql`
  EXISTS (SELECT 1 FROM affiliates a WHERE a.account_id = ${accountId} AND a.id = ${affiliateId} AND a.status = 'approved')
  AND (c.campaign_id IS NULL OR EXISTS (
     SELECT 1 FROM enrolments e JOIN campaigns x ON x.account_id = ${accountId} AND x.id = e.campaign_id
      WHERE e.account_id = ${accountId} AND e.affiliate_id = ${affiliateId} AND e.campaign_id = c.campaign_id
        AND x.status <> 'archived'))`

export function listOwnCreatives(db: Db, own: Own): Promise<CreativeRow[]> {
  return db.many(sql`
    SELECT ${creativeColumns}
      FROM creatives c LEFT JOIN campaigns g ON g.account_id = ${own.accountId} AND g.id = c.campaign_id
     WHERE c.account_id = ${own.accountId} AND ${isForThem(own)} ORDER BY ${creativeOrder}`)
}

export function findOwnCreativeFile(db: Db, own: Own, id: number): Promise<StoredFile | undefined> {
  return db.first(sql`
    SELECT c.name, c.file, c.file_type FROM creatives c
     WHERE c.account_id = ${own.accountId} AND c.id = ${id} AND c.file IS NOT NULL AND c.file_type IS NOT NULL
       AND ${isForThem(own)}`)
}
