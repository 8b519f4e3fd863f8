import type { ListedCampaign } from '@tributary/contract/portal'
import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { currentRewards } from '../programme/campaigns/campaign.store.ts'
import { hasJoinForm } from '../programme/join-forms/join-form.store.ts'

/** The columns of a campaign as the portal lists it, aliased `c`. */
export const shownCampaign = (
  accountId: number,
) => sql`c.id, c.name, c.slug, c.program_type, c.payout_currency, c.hold_days,
  c.minimum_payout_minor, c.attribution_window_days, c.destination_url, c.forbids_paid_search, c.open_enrollment AS is_open,
  ${hasJoinForm(accountId)} AS has_join_form, ${currentRewards} AS rewards`

/** The public campaigns with their rewards, whether open to join or by invitation. */
export function listPublicCampaigns(db: Db, accountId: number): Promise<ListedCampaign[]> {
  return db.many(sql`
    SELECT ${shownCampaign(accountId)} FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.visibility = 'public' AND c.status = 'active' ORDER BY c.id`)
}

/** The campaign of a join link, while it is open to join. */
export function findOpenCampaign(
  db: Db,
  accountId: number,
  slug: string,
): Promise<ListedCampaign | undefined> {
  return db.first(sql`
    SELECT ${shownCampaign(accountId)} FROM campaigns c
     WHERE c.account_id = ${accountId} AND c.slug = ${slug} AND c.open_enrollment AND c.status = 'active'`)
}
