import type { ListCampaignsQuery } from '@tributary/contract'
import type { Db, Tx } from '../db/database.ts'
import { all, inRange, sql, when } from '../db/sql.ts'
import { rowsToFetch } from '../kit/page.ts'
import type { CampaignRow, CommissionRule, NewCampaign } from './campaign.ts'

const columns = sql`c.id, c.name, c.slug, c.program_type, c.visibility, c.payout_currency, c.attribution_model,
  c.attribution_window_days, c.hold_days, c.minimum_payout_minor, c.open_enrollment, c.destination_url, c.created_at`

export function findCampaign(db: Db, accountId: number, id: number): Promise<CampaignRow | undefined> {
  return db.first(sql`SELECT ${columns} FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

export function listCampaigns(db: Db, accountId: number, query: ListCampaignsQuery): Promise<CampaignRow[]> {
  const filters = all(
    ...inRange(sql`c.id`, sql`c.created_at`, query),
    when(query.program_type, type => sql`c.program_type = ${type}`),
    when(query.visibility, visibility => sql`c.visibility = ${visibility}`),
  )
  return db.many(sql`
    SELECT ${columns} FROM campaigns c WHERE c.account_id = ${accountId} AND ${filters}
    ORDER BY c.id DESC LIMIT ${rowsToFetch(query.limit)}`)
}

export async function insertCampaign(tx: Tx, accountId: number, campaign: NewCampaign): Promise<CampaignRow> {
  const row = await tx.first<CampaignRow>(sql`
    INSERT INTO campaigns AS c (account_id, name, slug, program_type, visibility, payout_currency, attribution_model,
                                attribution_window_days, hold_days, minimum_payout_minor, open_enrollment, destination_url)
    VALUES (${accountId}, ${campaign.name}, ${campaign.slug}, ${campaign.program_type}, ${campaign.visibility},
            ${campaign.payout_currency}, ${campaign.attribution_model}, ${campaign.attribution_window_days},
            ${campaign.hold_days}, ${campaign.minimum_payout_minor}, ${campaign.open_enrollment},
            ${campaign.destination_url})
    RETURNING ${columns}`)
  return row as CampaignRow
}

export async function insertCommissionRule(
  tx: Tx,
  accountId: number,
  campaignId: number,
  rule: CommissionRule,
): Promise<void> {
  const [basisPoints, minor, currency] =
    rule.kind === 'percent' ? [rule.rateBasisPoints, null, null] : [null, rule.amountMinor, rule.currency]
  await tx.many(sql`
    INSERT INTO commission_rules (account_id, campaign_id, version, rate_basis_points, flat_minor, flat_currency)
    SELECT ${accountId}, ${campaignId}, coalesce(max(r.version), 0) + 1,
           ${basisPoints}::integer, ${minor}::bigint, ${currency}::text
      FROM commission_rules r WHERE r.account_id = ${accountId} AND r.campaign_id = ${campaignId}`)
}
