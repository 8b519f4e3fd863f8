import { type PortalSettings, requiredMails } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { notFound } from '../../kit/domain-error.ts'

/** An account's portal settings, with defaults if they were never changed. */
export interface PortalRow extends Omit<PortalSettings, 'logo' | 'address'> {
  account_id: number
  slug: string
  /** A version of the logo that changes with its content; null without a logo. */
  logo_version: string | null
}

/** An older version allowed turning off the emails about changed addresses; such a setting is ignored. */
const silentMails = sql`ARRAY(SELECT kind FROM unnest(p.silent_mails) AS kind WHERE kind <> ALL (${[...requiredMails]}::text[]))`

const columns = sql`a.id AS account_id, a.slug, a.name AS account_name, p.name, coalesce(p.colour, '#12755c') AS colour, p.domain,
  p.terms_url, coalesce(p.frame_origins, '{}') AS frame_origins, coalesce(p.customers_shown, 'masked') AS customers_shown,
  p.leaderboard, coalesce(p.leaderboard_numbers, false) AS leaderboard_numbers,
  ${silentMails} AS silent_mails, left(md5(p.logo), 12) AS logo_version`

export function findPortal(db: Db, accountId: number): Promise<PortalRow | undefined> {
  return db.first(sql`
    SELECT ${columns} FROM accounts a LEFT JOIN portals p ON p.account_id = ${accountId} WHERE a.id = ${accountId}`)
}

export async function portalOfAccount(db: Db, accountId: number): Promise<PortalRow> {
  const portal = await findPortal(db, accountId)
  if (!portal) throw notFound('account')
  return portal
}

export type PortalChanges = Partial<
  Pick<
    PortalSettings,
    | 'name'
    | 'colour'
    | 'domain'
    | 'terms_url'
    | 'frame_origins'
    | 'customers_shown'
    | 'leaderboard'
    | 'leaderboard_numbers'
    | 'silent_mails'
  >
>

/** Omitted fields stay unchanged; null clears a nullable field. */
export async function updatePortal(db: Db, accountId: number, changes: PortalChanges): Promise<void> {
  const { name, colour, domain, terms_url: terms, leaderboard, leaderboard_numbers: hasNumbers } = changes
  await db.many(sql`
    INSERT INTO portals AS p (account_id, name, colour, domain, terms_url, frame_origins, customers_shown, silent_mails, leaderboard,
                              leaderboard_numbers)
    VALUES (${accountId}, ${name ?? null}, coalesce(${colour ?? null}, '#12755c'), ${domain ?? null}, ${terms ?? null},
            coalesce(${changes.frame_origins ?? null}::text[], '{}'), coalesce(${changes.customers_shown ?? null}, 'masked'),
            coalesce(${changes.silent_mails ?? null}::text[], '{}'), ${leaderboard ?? null}, ${hasNumbers ?? false})
    ON CONFLICT (account_id) DO UPDATE SET
      name = CASE WHEN ${name !== undefined} THEN excluded.name ELSE p.name END,
      colour = CASE WHEN ${colour !== undefined} THEN excluded.colour ELSE p.colour END,
      domain = CASE WHEN ${domain !== undefined} THEN excluded.domain ELSE p.domain END,
      terms_url = CASE WHEN ${terms !== undefined} THEN excluded.terms_url ELSE p.terms_url END,
      frame_origins = CASE WHEN ${changes.frame_origins !== undefined} THEN excluded.frame_origins ELSE p.frame_origins END,
      customers_shown = CASE WHEN ${changes.customers_shown !== undefined} THEN excluded.customers_shown ELSE p.customers_shown END,
      silent_mails = CASE WHEN ${changes.silent_mails !== undefined} THEN excluded.silent_mails ELSE p.silent_mails END,
      leaderboard = CASE WHEN ${leaderboard !== undefined} THEN excluded.leaderboard ELSE p.leaderboard END,
      leaderboard_numbers = CASE WHEN ${hasNumbers !== undefined} THEN excluded.leaderboard_numbers ELSE p.leaderboard_numbers END`)
}

export async function saveLogo(
  db: Db,
  accountId: number,
  logo: { bytes: Buffer; type: string } | null,
): Promise<void> {
  await db.many(sql`
    INSERT INTO portals (account_id, logo, logo_type) VALUES (${accountId}, ${logo?.bytes ?? null}, ${logo?.type ?? null})
    ON CONFLICT (account_id) DO UPDATE SET logo = excluded.logo, logo_type = excluded.logo_type`)
}

export function findLogo(
  db: Db,
  accountId: number,
): Promise<{ logo: Buffer; logo_type: string } | undefined> {
  return db.first(sql`
    SELECT p.logo, p.logo_type FROM portals p WHERE p.account_id = ${accountId} AND p.logo IS NOT NULL AND p.logo_type IS NOT NULL`)
}

/** All custom domains. */
export function listDomains(db: Db): Promise<{ domain: string; slug: string }[]> {
  return db.many(sql`
    /* every account */ SELECT p.domain, a.slug FROM portals p JOIN accounts a ON a.id = p.account_id
     WHERE p.domain IS NOT NULL`)
}
