import type { CampaignRule, CampaignSummary, DashboardBody } from '@tributary/contract/dashboard'
import { parseMoney, plainAmount } from '@tributary/contract/money'
import { changedFields } from '../shared/changed-fields.ts'
import { texts } from './en.ts'

const { problems } = texts

/** A rule as the form holds it: strings until they are parsed. */
export interface RuleFields {
  kind: 'percent' | 'flat' | 'none'
  percent: string
  amount: string
  currency: string
}

export interface CampaignFields {
  name: string
  slug: string
  program_type: 'affiliate' | 'referral'
  visibility: 'public' | 'private'
  payout_currency: string
  reward: RuleFields
  refereeReward: RuleFields
  isCredit: boolean
  recurrence: 'first' | 'months' | 'forever'
  months: number | string
  hold_days: number | string
  attribution_window_days: number | string
  attribution_model: 'last_click' | 'first_click'
  minimum: string
  open_enrollment: boolean
  review_referrals: boolean
  look_back: boolean
  forbids_paid_search: boolean
  destination_url: string
}

/** Suggestions; any other ISO 4217 code can be typed too. */
export const usualCurrencies =
  'USD,EUR,GBP,AUD,BRL,CAD,CHF,CNY,CZK,DKK,HKD,HUF,INR,JPY,MXN,NOK,NZD,PLN,SEK,SGD,TRY,ZAR'.split(',')

/** Basis points as a user types a percentage: 1250 is 12.5. */
const percentAsText = (basisPoints: number) => plainAmount(basisPoints, 'USD').replace(/\.?0+$/, '')

const noRule = (currency: string): RuleFields => ({ kind: 'none', percent: '', amount: '', currency })

function ruleFields(rule: CampaignRule | undefined, currency: string): RuleFields {
  if (!rule) return noRule(currency)
  if (rule.rate_basis_points !== null)
    return { ...noRule(currency), kind: 'percent', percent: percentAsText(rule.rate_basis_points) }
  const own = rule.flat_currency ?? currency
  return { ...noRule(own), kind: 'flat', amount: plainAmount(rule.flat_minor ?? 0, own) }
}

/** The defaults of a new campaign: what most programmes pay. */
export const newCampaignFields: CampaignFields = {
  name: '',
  slug: '',
  program_type: 'affiliate',
  visibility: 'private',
  payout_currency: 'USD',
  reward: { ...noRule('USD'), kind: 'percent', percent: '20' },
  refereeReward: noRule('USD'),
  isCredit: false,
  recurrence: 'forever',
  months: 12,
  hold_days: 30,
  attribution_window_days: 60,
  attribution_model: 'last_click',
  minimum: '50.00',
  open_enrollment: false,
  review_referrals: false,
  look_back: true,
  forbids_paid_search: false,
  destination_url: '',
}

export function fieldsOfCampaign(campaign: CampaignSummary): CampaignFields {
  const currency = campaign.payout_currency
  const main = campaign.rules.find(({ beneficiary }) => beneficiary !== 'referee')
  const months = main?.recurring_months ?? null
  return {
    ...newCampaignFields,
    name: campaign.name,
    slug: campaign.slug,
    program_type: campaign.program_type,
    visibility: campaign.visibility,
    payout_currency: currency,
    reward: main ? ruleFields(main, currency) : { ...noRule(currency), kind: 'percent' },
    refereeReward: ruleFields(
      campaign.rules.find(({ beneficiary }) => beneficiary === 'referee'),
      currency,
    ),
    isCredit: main?.entry_type === 'credit',
    recurrence: months === null ? 'forever' : months === 0 ? 'first' : 'months',
    months: months || 12,
    hold_days: campaign.hold_days,
    attribution_window_days: campaign.attribution_window_days,
    attribution_model: campaign.attribution_model,
    minimum: plainAmount(campaign.minimum_payout_minor, currency),
    open_enrollment: campaign.open_enrollment,
    review_referrals: campaign.review_referrals,
    look_back: campaign.look_back,
    forbids_paid_search: campaign.forbids_paid_search,
    destination_url: campaign.destination_url ?? '',
  }
}

/** A copy has the same terms under a new name; the server derives a new slug from it. */
export const copyFields = (campaign: CampaignSummary): CampaignFields => ({
  ...fieldsOfCampaign(campaign),
  name: texts.create.copyName(campaign.name).slice(0, 255),
  slug: '',
})

const PERCENT = /^\d{1,3}(?:[.,]\d{1,2})?$/

const isCurrency = (text: string) => /^[A-Z]{3}$/.test(text)

/** The rule as the API takes it: `12.5%`, or minor units with a currency. */
function ruleValue(rule: RuleFields): string {
  if (rule.kind === 'percent') return `${rule.percent.trim().replace(',', '.')}%`
  return `${parseMoney(rule.amount, rule.currency)} ${rule.currency}`
}

function ruleProblem(rule: RuleFields): string | null {
  if (rule.kind === 'none') return null
  if (rule.kind === 'percent') {
    const text = rule.percent.trim().replace(',', '.')
    const isShare = PERCENT.test(rule.percent.trim()) && Number(text) > 0 && Number(text) <= 100
    return isShare ? null : problems.percent
  }
  if (!isCurrency(rule.currency)) return problems.ruleCurrency
  return (parseMoney(rule.amount, rule.currency) ?? 0) > 0 ? null : problems.amount
}

const wholeProblem = (value: number | string, least: number, most: number) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most
    ? null
    : problems.whole(least, most)

/** Client-side validation by field; the server validates again. */
export const problemsOf = {
  name: (name: string) => (name.trim() === '' ? problems.name : null),
  slug: (slug: string) => (slug === '' || /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) ? null : problems.slug),
  payout_currency: (code: string) => (isCurrency(code) ? null : problems.currency),
  reward: ruleProblem,
  refereeReward: (rule: RuleFields, fields: CampaignFields) =>
    fields.program_type === 'referral' ? ruleProblem(rule) : null,
  months: (months: number | string, fields: CampaignFields) =>
    fields.recurrence === 'months' ? wholeProblem(months, 1, 1200) : null,
  hold_days: (days: number | string) => wholeProblem(days, 0, 3650),
  attribution_window_days: (days: number | string) => wholeProblem(days, 1, 3650),
  minimum: (text: string, { payout_currency }: CampaignFields) =>
    (parseMoney(text, payout_currency) ?? -1) >= 0 ? null : problems.minimum,
  destination_url: (url: string) =>
    url.trim() === '' || /^https?:\/\/./i.test(url.trim()) ? null : problems.destination,
}

/** The terms that can be changed, as the API takes them. */
function termsOf(fields: CampaignFields) {
  const isReferral = fields.program_type === 'referral'
  const { recurrence } = fields
  return {
    name: fields.name.trim(),
    visibility: fields.visibility,
    attribution_model: fields.attribution_model,
    attribution_window_days: Number(fields.attribution_window_days),
    hold_days: Number(fields.hold_days),
    minimum_payout_minor: parseMoney(fields.minimum, fields.payout_currency) ?? 0,
    open_enrollment: fields.open_enrollment,
    destination_url: fields.destination_url.trim() || null,
    review_referrals: fields.review_referrals,
    look_back: fields.look_back,
    forbids_paid_search: fields.forbids_paid_search,
    rewards: {
      commission: ruleValue(fields.reward),
      recurring_months: recurrence === 'forever' ? null : recurrence === 'first' ? 0 : Number(fields.months),
      ...(isReferral && {
        referee_reward: fields.refereeReward.kind === 'none' ? null : ruleValue(fields.refereeReward),
        credit: fields.isCredit,
      }),
    },
  }
}

/** The request body of an update. With rewards, it makes a new version of the commission rule. */
export const changesOf = (before: CampaignFields, after: CampaignFields): DashboardBody<'updateCampaign'> =>
  changedFields(termsOf(before), termsOf(after))

export const creationOf = (fields: CampaignFields) =>
  ({
    ...termsOf(fields),
    ...(fields.slug && { slug: fields.slug }),
    program_type: fields.program_type,
    payout_currency: fields.payout_currency,
  }) as DashboardBody<'createCampaign'>
