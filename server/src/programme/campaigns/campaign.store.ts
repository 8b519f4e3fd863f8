import type { ListCampaignsQuery } from '@tributary/contract'
import type { Db, Tx } from '../../db/database.ts'
import { all, inRange, type Sql, sql, when } from '../../db/sql.ts'
import { rowsToFetch } from '../../kit/page.ts'
import type { CampaignDetails, CampaignOptions, CampaignRow, NewCampaign, Reward } from './campaign.ts'

export const columns = sql`c.id, c.name, c.slug, c.program_type, c.visibility, c.payout_currency, c.attribution_model,
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

export async function insertCampaign(
  tx: Tx,
  accountId: number,
  campaign: NewCampaign,
  { reviewsReferrals, looksBack, forbidsPaidSearch }: CampaignOptions,
): Promise<CampaignRow> {
  const row = await tx.first<CampaignRow>(sql`
    INSERT INTO campaigns AS c (account_id, name, slug, program_type, visibility, payout_currency, attribution_model,
                                attribution_window_days, hold_days, minimum_payout_minor, open_enrollment, destination_url,
                                review_referrals, look_back, forbids_paid_search)
    VALUES (${accountId}, ${campaign.name}, ${campaign.slug}, ${campaign.program_type}, ${campaign.visibility},
            ${campaign.payout_currency}, ${campaign.attribution_model}, ${campaign.attribution_window_days},
            ${campaign.hold_days}, ${campaign.minimum_payout_minor}, ${campaign.open_enrollment},
            ${campaign.destination_url}, ${reviewsReferrals}, ${looksBack}, ${forbidsPaidSearch})
    RETURNING ${columns}`)
  return row as CampaignRow
}

/** Locks the campaign for the rest of the transaction, which serializes the numbering of its rule versions. */
export async function lockCampaign(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx.many(sql`
    SELECT 1 FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ${id} FOR NO KEY UPDATE`)
}

/** Keeps the campaign unchanged until the transaction ends. Others that only rely on it don't wait. */
export async function lockCampaignShared(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx.many(sql`
    SELECT 1 FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ${id} FOR SHARE`)
}

/** Updates a campaign. Its slug, type and currency can't change: links and the ledger depend on them. */
export async function updateCampaignDetails(
  tx: Tx,
  accountId: number,
  id: number,
  campaign: CampaignDetails,
): Promise<void> {
  await tx.many(sql`
    UPDATE campaigns SET
      name = ${campaign.name}, visibility = ${campaign.visibility}, attribution_model = ${campaign.attribution_model},
      attribution_window_days = ${campaign.attribution_window_days}, hold_days = ${campaign.hold_days},
      minimum_payout_minor = ${campaign.minimum_payout_minor}, open_enrollment = ${campaign.open_enrollment},
      destination_url = ${campaign.destination_url}, review_referrals = ${campaign.review_referrals}, look_back = ${campaign.look_back},
      forbids_paid_search = ${campaign.forbids_paid_search}
    WHERE account_id = ${accountId} AND id = ${id}`)
}

export interface RuleRow {
  version: number
  beneficiary: 'affiliate' | 'referrer' | 'referee'
  entry_type: 'earned' | 'credit'
  rate_basis_points: number | null
  flat_minor: number | null
  flat_currency: string | null
  recurring_months: number | null
}

export interface TermsRow extends CampaignRow {
  review_referrals: boolean
  look_back: boolean
  forbids_paid_search: boolean
  rules: RuleRow[]
}

/** A rule as one object, without its version. */
export const ruleFields = sql`'beneficiary', r.beneficiary, 'entry_type', r.entry_type, 'rate_basis_points', r.rate_basis_points,
  'flat_minor', r.flat_minor, 'flat_currency', r.flat_currency, 'recurring_months', r.recurring_months`

const latest = sql`max(v.version)`
/** The rules of the campaign with the alias `c`: of its versions `v`, this one. */
const inForce = (
  fields: Sql,
  version: Sql = latest,
): Sql => sql`coalesce((SELECT json_agg(json_build_object(${fields}) ORDER BY r.beneficiary)
              FROM commission_rules r
             WHERE r.account_id = c.account_id AND r.campaign_id = c.id AND r.version = (
                     SELECT ${version} FROM commission_rules v
                      WHERE v.account_id = c.account_id AND v.campaign_id = c.id)), '[]')`
const termsUnder = (
  version: Sql,
): Sql => sql`${columns}, c.review_referrals, c.look_back, c.forbids_paid_search,
  ${inForce(sql`'version', r.version, ${ruleFields}`, version)} AS rules`
/** The campaign with the alias `c` and its current rules, one per beneficiary. */
export const termsColumns = termsUnder(latest)
/** The same with the rules that were in force at a time, or the first ones if it had none yet. */
export const termsColumnsAt = (time: Sql): Sql =>
  termsUnder(sql`coalesce(max(v.version) FILTER (WHERE v.created_at <= ${time}), min(v.version))`)
/** The same for display, without versions. */
export const currentRewards = inForce(ruleFields)

/**
 * When the attribution window of a conversion began. Without a reported time it is that of the transaction, which is not later than the
 * time drawn for the conversion: nothing inside its window is missed.
 */
export const windowStart = (accountId: number, campaignId: Sql, occurredAt: Sql): Sql => sql`(
  SELECT coalesce(${occurredAt}, now()) - make_interval(hours => 24 * w.attribution_window_days)
    FROM campaigns w WHERE w.account_id = ${accountId} AND w.id = ${campaignId})`

/** A campaign with its current rules in one query, because every conversion needs it. */
export function findTerms(db: Db, accountId: number, id: number): Promise<TermsRow | undefined> {
  return db.first(sql`
    SELECT ${termsColumns} FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ${id}`)
}

export function findTermsOfAll(db: Db, accountId: number, ids: number[]): Promise<TermsRow[]> {
  return db.many(sql`
    SELECT ${termsColumns} FROM campaigns c WHERE c.account_id = ${accountId} AND c.id = ANY (${ids}::bigint[])`)
}

/** Adds a rule version. Earlier versions stay: ledger entries reference the one that created them. */
export async function insertCommissionRules(
  tx: Tx,
  accountId: number,
  campaignId: number,
  rewards: Reward[],
): Promise<void> {
  const amounts = rewards.map(({ rule }) =>
    rule.kind === 'percent'
      ? { basisPoints: rule.rateBasisPoints, minor: null, currency: null }
      : { basisPoints: null, minor: rule.amountMinor, currency: rule.currency },
  )
  await tx.many(sql`
    INSERT INTO commission_rules (account_id, campaign_id, version, beneficiary, entry_type, rate_basis_points, flat_minor,
                                  flat_currency, recurring_months)
    SELECT ${accountId}, ${campaignId}, 1 + coalesce((SELECT max(v.version) FROM commission_rules v
             WHERE v.account_id = ${accountId} AND v.campaign_id = ${campaignId}), 0), reward.*
      FROM unnest(${rewards.map(({ beneficiary }) => beneficiary)}::text[],
                  ${rewards.map(({ entryType }) => entryType)}::text[],
                  ${amounts.map(({ basisPoints }) => basisPoints)}::integer[],
                  ${amounts.map(({ minor }) => minor)}::bigint[],
                  ${amounts.map(({ currency }) => currency)}::text[],
                  ${rewards.map(({ recurringMonths }) => recurringMonths)}::integer[]) AS reward`)
}
