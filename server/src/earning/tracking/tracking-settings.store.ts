import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/** An account's tracking settings, with defaults if they were never changed. */
export interface TrackingRow {
  /** Sites that were added to those of the campaigns, as scheme and host. */
  sites: string[]
  /** Whether the tracker's cookies are valid on all subdomains of a site. */
  shares_subdomains: boolean
  keeps_customer_emails: boolean
}

export async function findTracking(db: Db, accountId: number): Promise<TrackingRow> {
  const row = await db.first<TrackingRow>(sql`
    SELECT coalesce(t.sites, '{}') AS sites, coalesce(t.shares_subdomains, false) AS shares_subdomains, a.keeps_customer_emails
      FROM accounts a LEFT JOIN tracking_settings t ON t.account_id = ${accountId} WHERE a.id = ${accountId}`)
  return row ?? { sites: [], shares_subdomains: false, keeps_customer_emails: false }
}

/** Omitted fields stay unchanged. */
export async function updateTracking(
  db: Db,
  accountId: number,
  { sites, shares_subdomains: shares }: Partial<Omit<TrackingRow, 'keeps_customer_emails'>>,
): Promise<void> {
  await db.many(sql`
    INSERT INTO tracking_settings AS t (account_id, sites, shares_subdomains)
    VALUES (${accountId}, coalesce(${sites ?? null}::text[], '{}'), coalesce(${shares ?? null}::boolean, false))
    ON CONFLICT (account_id) DO UPDATE SET
      sites = CASE WHEN ${sites !== undefined} THEN excluded.sites ELSE t.sites END,
      shares_subdomains = CASE WHEN ${shares !== undefined} THEN excluded.shares_subdomains ELSE t.shares_subdomains END`)
}
