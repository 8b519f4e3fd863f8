import type { Campaign } from '@tributary/contract'
import type { Db } from '../db/database.ts'
import { brokenConstraint } from '../db/failures.ts'
import { conflict, invalid } from '../kit/domain-error.ts'
import { isCurrency } from '../kit/money.ts'
import { isSlug } from '../kit/slug.ts'
import { presentCampaign } from './campaign.presenter.ts'
import { insertCampaign, insertCommissionRule } from './campaign.store.ts'
import type { CommissionRule, NewCampaign } from './campaign.ts'

const MOST_DAYS = 3650

function assertValid(campaign: NewCampaign): void {
  const { name, slug, payout_currency, attribution_window_days, hold_days, minimum_payout_minor } = campaign
  if (name.length < 1 || name.length > 255) throw invalid('name', 'must have 1 to 255 characters')
  if (!isSlug(slug)) throw invalid('slug', 'must be at most 64 of a-z, 0-9 and single hyphens between them')
  if (!isCurrency(payout_currency)) throw invalid('payout_currency', 'must be an ISO-4217 code such as USD')
  if (!isWholeNumber(attribution_window_days, 1, MOST_DAYS))
    throw invalid('attribution_window_days', `must be a whole number from 1 to ${MOST_DAYS}`)
  if (!isWholeNumber(hold_days, 0, MOST_DAYS))
    throw invalid('hold_days', `must be a whole number from 0 to ${MOST_DAYS}`)
  if (!isWholeNumber(minimum_payout_minor, 0, Number.MAX_SAFE_INTEGER))
    throw invalid('minimum_payout_minor', 'must be a whole number of minor units, at least 0')
  if (campaign.destination_url !== null && !isWebAddress(campaign.destination_url))
    throw invalid('destination_url', 'must be an absolute http or https URL of at most 2048 characters')
}

const isWholeNumber = (value: number, least: number, most: number) =>
  Number.isSafeInteger(value) && value >= least && value <= most

const isWebAddress = (text: string) =>
  text.length <= 2048 && URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** Opens a campaign with the first version of its commission rule. */
export async function createCampaign(
  db: Db,
  accountId: number,
  campaign: NewCampaign,
  rule: CommissionRule,
): Promise<Campaign> {
  assertValid(campaign)
  try {
    return await db.transaction(async tx => {
      const row = await insertCampaign(tx, accountId, campaign)
      await insertCommissionRule(tx, accountId, row.id, rule)
      return presentCampaign(row)
    })
  } catch (error) {
    if (brokenConstraint(error) === 'campaigns_slug_taken')
      throw conflict(`slug "${campaign.slug}" is taken by another campaign.`)
    throw error
  }
}
