import type { CampaignDetail, CampaignSummary, DashboardQuery } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { all, keyset, type Sql, sql, when } from '../../db/sql.ts'
import { containing } from '../../kit/like-pattern.ts'
import { rowsAfter } from '../../kit/page.ts'
import { columns, currentRewards, ruleFields } from './campaign.store.ts'

/** The limit of counting, so that the list stays fast whatever there is to count. */
const MOST_COUNTED = 10_000

/** A summary without its join link, which depends on the portal's address. */
type ListedSummary = Omit<CampaignSummary, 'join_link'>
type SummaryRow = Omit<ListedSummary, 'has_more_enrolled'>

const summary = sql`${columns}, c.status, c.review_referrals, c.look_back, c.forbids_paid_search, ${currentRewards} AS rules,
  (SELECT count(*)::integer FROM (
     SELECT 1 FROM enrolments e WHERE e.account_id = c.account_id AND e.campaign_id = c.id LIMIT ${MOST_COUNTED + 1}) counted) AS enrolled`

const summaryOf = (row: SummaryRow): ListedSummary => ({
  ...row,
  enrolled: Math.min(row.enrolled, MOST_COUNTED),
  has_more_enrolled: row.enrolled > MOST_COUNTED,
})

async function summaries(
  db: Db,
  accountId: number,
  condition: Sql,
  order: Sql,
  limit: number,
): Promise<ListedSummary[]> {
  const rows = await db.many<SummaryRow>(sql`
    SELECT ${summary} FROM campaigns c WHERE c.account_id = ${accountId} AND ${condition} ORDER BY ${order} LIMIT ${limit}`)
  return rows.map(summaryOf)
}

/** Whether part of the name or slug of the campaign `c` is the text: as typed too, since the database's locale may not know all letters. */
export function isNamed(text: string): Sql {
  const [typed, lower] = [containing(text), containing(text.toLowerCase())]
  return sql`(c.name LIKE ${typed} OR lower(c.name) LIKE ${lower} OR c.slug LIKE ${lower})`
}

/** The filters of the list, as a condition on the campaign aliased `c`. */
export const matching = (query: DashboardQuery<'exportCampaigns'>): Sql =>
  all(
    when(query.q, text => isNamed(text.trim())),
    when(query.program_type, type => sql`c.program_type = ${type}`),
    when(query.visibility, visibility => sql`c.visibility = ${visibility}`),
    when(query.status, status => sql`c.status = ${status}`),
    query.status || query.include_archived ? undefined : sql`c.status <> 'archived'`,
  )

/** Campaigns as listed in the dashboard. */
export function listCampaignSummaries(
  db: Db,
  accountId: number,
  query: DashboardQuery<'listCampaigns'>,
): Promise<ListedSummary[]> {
  const { from, order } = keyset(sql`c.id`, query)
  return summaries(db, accountId, all(from, matching(query)), order, rowsAfter(query.limit))
}

/** The given campaigns, in the given order. */
export const listCampaignsInOrder = (db: Db, accountId: number, ids: number[]): Promise<ListedSummary[]> =>
  summaries(
    db,
    accountId,
    sql`c.id = ANY (${ids}::bigint[])`,
    sql`array_position(${ids}::bigint[], c.id)`,
    ids.length,
  )

export async function findCampaignSummary(
  db: Db,
  accountId: number,
  id: number,
): Promise<ListedSummary | undefined> {
  const [campaign] = await summaries(db, accountId, sql`c.id = ${id}`, sql`c.id`, 1)
  return campaign
}

const SHOWN_VERSIONS = 20

/** A campaign's rule history, newest version first. */
export function listRuleVersions(
  db: Db,
  accountId: number,
  campaignId: number,
): Promise<CampaignDetail['rule_versions']> {
  return db.many(sql`
    SELECT r.version, min(r.created_at) AS created_at,
           json_agg(json_build_object(${ruleFields}) ORDER BY r.beneficiary) AS rules
      FROM commission_rules r WHERE r.account_id = ${accountId} AND r.campaign_id = ${campaignId}
     GROUP BY r.version ORDER BY r.version DESC LIMIT ${SHOWN_VERSIONS}`)
}
