/** The facts of an account, computed from its rows without the service: one loop, no SQL but SELECT. */
import { type ExploreSource, exploreSources } from '@tributary/contract/dashboard'
import type pg from 'pg'
import { localDay } from '../../../testing/time-zone.ts'
import type { FactKey, FactSum } from '../../src/insight/fact-sums.store.ts'

export type Facts = Record<string, number>

const time = (value: unknown) => (value as Date).getTime()

type Row = Record<string, unknown>

/** What a row is counted under: of a campaign and affiliate, with the click that it came from, if it came from one. */
type Names = (whose: Row, click: Row | undefined) => string[]

/** By `day campaign affiliate currency figure`; zeros are left out. */
export const rawFacts = (owner: pg.Pool, accountId: number, zone: string): Promise<Facts> =>
  rawFactsBy(owner, accountId, zone, whose => [`${whose.campaign_id} ${whose.affiliate_id}`])

/** By `day name currency figure`, for every name. */
async function rawFactsBy(owner: pg.Pool, accountId: number, zone: string, namesOf: Names): Promise<Facts> {
  const rows = async (table: string) =>
    (await owner.query(`SELECT * FROM ${table} WHERE account_id = $1 ORDER BY 1, 2`, [accountId])).rows
  const [clicks, leads, referrals, allSales, refunds, commissions, conversions] = await Promise.all(
    ['clicks', 'tracked_leads', 'referrals', 'sales', 'refunds', 'commissions', 'conversions'].map(rows),
  )
  const clickOf = new Map<unknown, Row | undefined>(
    conversions?.map(({ referral_id, attribution }) => [
      referral_id,
      clicks?.find(
        ({ id }) =>
          Number(id) ===
          attribution.candidates.find(({ outcome }: { outcome: string }) => outcome === 'won')?.click_id,
      ),
    ]),
  )
  const sales = allSales?.filter(({ replaced_by }) => replaced_by === null)
  const facts: Facts = {}
  const put = (at: unknown, names: string[], currency: string, figure: string, amount = 1) => {
    for (const name of names) {
      const key = `${localDay(time(at), zone)} ${name} ${currency} ${figure}`
      facts[key] = (facts[key] ?? 0) + amount
    }
  }
  /** What a referral brought. */
  const add = (
    at: unknown,
    whose: Row,
    referralId: unknown,
    ...counted: [currency: string, figure: string, amount?: number]
  ) => put(at, namesOf(whose, clickOf.get(referralId)), ...counted)
  const seen = new Set<string>()
  for (const click of clicks ?? []) {
    if (click.is_bot) continue
    const day = localDay(time(click.created_at), zone)
    const visitor = click.address_hash
      ? `${click.address_hash.toString('hex')} ${click.user_agent}`
      : click.id
    for (const name of namesOf(click, click)) {
      put(click.created_at, [name], 'XXX', 'clicks')
      const place = `${day} ${name} ${visitor}`
      if (!seen.has(place)) put(click.created_at, [name], 'XXX', 'unique_clicks')
      seen.add(place)
    }
  }
  for (const lead of leads ?? []) {
    const click = clicks?.find(({ id }) => id === lead.click_id)
    if (click) put(lead.created_at, namesOf(click, click), 'XXX', 'leads')
  }
  const counted = new Map(
    (referrals ?? []).filter(({ is_test, status }) => !is_test && status !== 'rejected').map(r => [r.id, r]),
  )
  for (const referral of counted.values())
    add(referral.occurred_at, referral, referral.id, 'XXX', 'conversions')
  const inOrder = (sales ?? []).toSorted(
    (a, b) => time(a.occurred_at) - time(b.occurred_at) || Number(a.id) - Number(b.id),
  )
  const known = new Set<unknown>()
  for (const sale of inOrder) {
    const isNew = Number(sale.amount_minor) > 0 && !known.has(sale.referral_id)
    if (isNew) known.add(sale.referral_id)
    const referral = counted.get(sale.referral_id)
    if (!referral) continue
    add(sale.occurred_at, referral, referral.id, sale.currency, 'sales')
    add(sale.occurred_at, referral, referral.id, sale.currency, 'revenue_minor', Number(sale.amount_minor))
    if (isNew) add(sale.occurred_at, referral, referral.id, sale.currency, 'customers')
  }
  for (const refund of refunds ?? []) {
    const sale = sales?.find(({ id }) => id === refund.sale_id)
    const referral = counted.get(sale?.referral_id)
    if (!referral || refund.reversed_at) continue
    add(refund.occurred_at, referral, referral.id, sale.currency, 'refunds')
    add(
      refund.occurred_at,
      referral,
      referral.id,
      sale.currency,
      'refunded_minor',
      Number(refund.amount_minor),
    )
  }
  /** What was given back of a void commission, and taken of that again, is one commission. */
  const givenBack = new Set<string>()
  const isOf = (entry: Row, other: Row) =>
    (['sale_id', 'beneficiary', 'assignment'] as const).every(name => entry[name] === other[name])
  for (const entry of commissions?.toSorted((a, b) => Number(a.id) - Number(b.id)) ?? []) {
    const isBesideVoid =
      entry.entry_type === 'adjustment' &&
      entry.sale_id !== null &&
      entry.clawback_of === null &&
      !commissions?.some(other => other.entry_type === 'credit' && isOf(entry, other))
    const isCounted = entry.referral_id === null || counted.has(entry.referral_id)
    const sale = sales?.find(({ id }) => id === entry.sale_id)
    if (
      !(entry.entry_type === 'earned' || isBesideVoid) ||
      entry.beneficiary === 'referee' ||
      entry.status === 'void' ||
      (entry.sale_id !== null && entry.assignment !== sale?.assignment) ||
      !isCounted
    )
      continue
    const commission = `${entry.sale_id} ${entry.beneficiary} ${entry.assignment}`
    const isOne = !isBesideVoid || !givenBack.has(commission)
    if (isBesideVoid) givenBack.add(commission)
    if (isOne) add(entry.created_at, entry, entry.referral_id, entry.payout_currency, 'commissions')
    add(
      entry.created_at,
      entry,
      entry.referral_id,
      entry.payout_currency,
      'commissions_minor',
      Number(entry.payout_amount_minor),
    )
  }
  return Object.fromEntries(Object.entries(facts).filter(([, amount]) => amount !== 0))
}

/** A click's value of every dimension, null where it has none. */
function valuesOf(click: Row): Record<ExploreSource, string | null> {
  const landing = click.landing_url === null ? undefined : new URL(String(click.landing_url))
  const parameter = (name: string) => landing?.searchParams.get(name) ?? null
  const page = landing ? `${landing.origin}${landing.pathname}` : null
  return {
    link: [click.campaign_id, click.affiliate_id, page].join(' ').trim(),
    referrer: click.referrer === null ? null : new URL(String(click.referrer)).hostname.replace(/^www\./, ''),
    utm_source: parameter('utm_source'),
    utm_medium: parameter('utm_medium'),
    utm_campaign: parameter('utm_campaign'),
    sub_id: parameter('sub_id'),
    landing_page: page,
    device: String(click.user_agent).includes('Mobile') ? 'mobile' : 'desktop',
    country: click.country as string | null,
  }
}

/** Sums in the form of the independent count. */
export function factsOf(sums: FactSum[]): Facts {
  const facts: Facts = {}
  for (const { key, currency, ...figures } of sums)
    for (const [figure, amount] of Object.entries(figures))
      if (amount !== 0 && !/converted|without_rate|active/.test(figure))
        facts[`${key} ${currency} ${figure}`] = Number(amount)
  return facts
}

/** What is counted of a source under `campaign dimension=value`: what no click brought has no source. */
const sourceNames: Names = (whose, click) =>
  exploreSources.map(dimension => {
    const isOthers =
      dimension === 'link' &&
      (click?.campaign_id !== whose.campaign_id || click?.affiliate_id !== whose.affiliate_id)
    const value = !click || isOthers ? '(no click)' : (valuesOf(click)[dimension] ?? '(none)')
    return `${whose.campaign_id} ${dimension}=${value}`
  })

/** What a question is about: an affiliate, the value of a source, or both. */
export interface Asked {
  affiliateIds?: number[]
  source?: { dimension: ExploreSource; value: string }
}

const valueBy = (whose: Row, click: Row | undefined, dimension: ExploreSource): string => {
  const prefix = `${whose.campaign_id} ${dimension}=`
  return (sourceNames(whose, click).find(name => name.startsWith(prefix)) as string).slice(prefix.length)
}

/** Of an affiliate, a source or both, by `day campaign affiliate value currency figure`: the value is that of a dimension, if one is given, with + for spaces. */
export const rawCrossedFacts = (
  owner: pg.Pool,
  accountId: number,
  zone: string,
  { affiliateIds, source }: Asked,
  dimension?: ExploreSource,
): Promise<Facts> =>
  rawFactsBy(owner, accountId, zone, (whose, click) => {
    const isAsked =
      (!affiliateIds || affiliateIds.includes(Number(whose.affiliate_id))) &&
      (!source || valueBy(whose, click, source.dimension) === source.value)
    const value = dimension ? valueBy(whose, click, dimension).replaceAll(' ', '+') : '-'
    return isAsked ? [`${whose.campaign_id} ${whose.affiliate_id} ${value}`] : []
  })

/** By `day campaign dimension=value currency figure`. */
export const rawSourceFacts = (owner: pg.Pool, accountId: number, zone: string): Promise<Facts> =>
  rawFactsBy(owner, accountId, zone, sourceNames)

/** What was counted on the days of a range. */
export const factsWithin = (raw: Facts, { from, to }: { from: string; to: string }): [string, number][] =>
  Object.entries(raw).filter(([key]) => key.slice(0, 10) >= from && key.slice(0, 10) <= to)

/** The independent count, summed by the same key. */
export function summedBy(raw: [string, number][], by: FactKey): Facts {
  const facts: Facts = {}
  for (const [key, amount] of raw) {
    const [day, campaign, affiliate, ...rest] = key.split(' ')
    const name = `${{ day, campaign, affiliate }[by]} ${rest.join(' ')}`
    facts[name] = (facts[name] ?? 0) + amount
  }
  return facts
}

/** The independent count of a dimension's values, of all campaigns. */
export function summedByValue(
  raw: Facts,
  dimension: ExploreSource,
  range: { from: string; to: string },
): Facts {
  const facts: Facts = {}
  for (const [key, amount] of factsWithin(raw, range)) {
    const name = key.split(' ').slice(2).join(' ')
    if (!name.startsWith(`${dimension}=`)) continue
    const value = name.slice(dimension.length + 1)
    facts[value] = (facts[value] ?? 0) + amount
  }
  return facts
}

/** The rolled-up facts by source as they are stored, in the same form. */
export async function storedSourceFacts(owner: pg.Pool, accountId: number): Promise<Facts> {
  const facts: Facts = {}
  for (const table of ['insight_sources', 'insight_source_earnings']) {
    const { rows } = await owner.query(
      `SELECT *, to_char(day, 'YYYY-MM-DD') AS day FROM ${table} WHERE account_id = $1`,
      [accountId],
    )
    for (const { account_id: _, day, campaign_id, dimension, value, currency = 'XXX', ...figures } of rows)
      for (const [figure, amount] of Object.entries(figures))
        if (Number(amount) !== 0)
          facts[`${day} ${campaign_id} ${dimension}=${value} ${currency} ${figure}`] = Number(amount)
  }
  return facts
}

/** The rolled-up facts as they are stored, in the same form. */
export async function storedFacts(owner: pg.Pool, accountId: number): Promise<Facts> {
  const facts: Facts = {}
  for (const table of ['insight_visits', 'insight_earnings']) {
    const { rows } = await owner.query(
      `SELECT *, to_char(day, 'YYYY-MM-DD') AS day FROM ${table} WHERE account_id = $1`,
      [accountId],
    )
    for (const { account_id: _, day, campaign_id, affiliate_id, currency = 'XXX', ...figures } of rows)
      for (const [figure, amount] of Object.entries(figures))
        if (Number(amount) !== 0)
          facts[`${day} ${campaign_id} ${affiliate_id} ${currency} ${figure}`] = Number(amount)
  }
  return facts
}
