import { isOneLine, ONE_LINE_PROBLEM } from '@tributary/contract/one-line'
import { invalid } from '../../kit/domain-error.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { isCurrency } from '../../kit/money.ts'
import { isSlug } from '../../kit/slug.ts'
import { isWebAddress } from '../../kit/web-address.ts'
import type { NewCampaign, Reward } from './campaign.ts'

const MOST_DAYS = 3650

/** Validates a new or changed campaign. */
export function assertCampaign(campaign: NewCampaign): void {
  const { name, slug, payout_currency, attribution_window_days, hold_days, minimum_payout_minor } = campaign
  if (name.length < 1 || name.length > 255) throw invalid('name', 'must have 1 to 255 characters')
  if (!isOneLine(name)) throw invalid('name', ONE_LINE_PROBLEM)
  if (!isSlug(slug))
    throw invalid('slug', 'must be at most 64 characters: a-z, 0-9 and single hyphens between them')
  if (!isCurrency(payout_currency)) throw invalid('payout_currency', 'must be an ISO-4217 code such as USD')
  if (!isWholeNumber(attribution_window_days, 1, MOST_DAYS))
    throw invalid('attribution_window_days', `must be an integer from 1 to ${MOST_DAYS}`)
  if (!isWholeNumber(hold_days, 0, MOST_DAYS))
    throw invalid('hold_days', `must be an integer from 0 to ${MOST_DAYS}`)
  if (!isWholeNumber(minimum_payout_minor, 0, Number.MAX_SAFE_INTEGER))
    throw invalid('minimum_payout_minor', 'must be 0 or a positive integer of minor units')
  assertAmount('minimum_payout_minor', minimum_payout_minor)
  if (campaign.destination_url !== null && !isWebAddress(campaign.destination_url))
    throw invalid('destination_url', 'must be an absolute http or https URL of at most 2048 characters')
}

const isWholeNumber = (value: number, least: number, most: number) =>
  Number.isSafeInteger(value) && value >= least && value <= most

/** The beneficiaries of a campaign: a referral campaign rewards both sides, an affiliate campaign one. */
const beneficiaries = { affiliate: ['affiliate'], referral: ['referrer', 'referee'] }

export function assertRewards(programType: NewCampaign['program_type'], rewards: Reward[]): void {
  const allowed = beneficiaries[programType]
  for (const { beneficiary } of rewards)
    if (!allowed.includes(beneficiary))
      throw invalid('commission', `cannot go to the ${beneficiary} in a campaign of type ${programType}`)
}
