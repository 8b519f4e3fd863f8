import {
  attentionLists,
  type Exploration,
  type ExploredSums,
  type Waiting,
} from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import { explore } from '../insight/explore.ts'
import { countWaiting } from '../insight/needs-attention.ts'
import { notFound } from '../kit/domain-error.ts'
import type { Mail } from '../mail/render-mail.ts'
import type { MailSection } from '../mail/render-section.ts'
import { findAccount } from '../programme/accounts/account.store.ts'
import { findNewAffiliates, type NewAffiliate } from './digest-facts.store.ts'
import { changeOf, counted, money, rangeText } from './digest-text.ts'
import { type Period, periodBefore } from './period.ts'

const TOP_AFFILIATES = 5
const NEW_AFFILIATES = 5
/** The largest; most accounts have one. */
const MOST_CURRENCIES = 3

export interface TeamFacts {
  account: { name: string; slug: string }
  period: Period
  exploration: Exploration
  added: NewAffiliate[]
  addedBefore: number
  waiting: Waiting
}

/** The figures of a week, the same for everyone in the team. */
export async function teamFacts(db: Db, accountId: number, period: Period): Promise<TeamFacts> {
  const account = await findAccount(db, accountId)
  if (!account) throw notFound('account')
  const { from, to } = period
  const exploration = await explore(db, accountId, { from, to, by: 'affiliate', sort: 'commissions' })
  const added = await findNewAffiliates(db, accountId, { from, to, limit: NEW_AFFILIATES })
  const before = await findNewAffiliates(db, accountId, { ...periodBefore('team', period), limit: 1 })
  const waiting = await countWaiting(db, accountId)
  return { account, period, exploration, added, addedBefore: before[0]?.total ?? 0, waiting }
}

/** Whether anything happened, or needs attention. */
export const isNews = ({ exploration, added, waiting }: TeamFacts): boolean =>
  exploration.rows.length > 0 || added.length > 0 || Object.values(waiting).some(count => count > 0)

/** What needs attention, as a label before its number, and the page of its list. */
const attention: Record<keyof Waiting, { label: string; page: string; view?: string }> = {
  payouts_failed: { label: 'Payouts failed', page: 'payouts' },
  payouts_partially_paid: { label: 'Payouts partially paid', page: 'payouts' },
  failing_endpoints: { label: 'Webhook endpoints failing', page: 'webhooks' },
  affiliates_to_approve: { label: 'Affiliates to approve', page: 'affiliates' },
  signals_to_review: { label: 'Fraud signals to review', page: 'signals' },
  referrals_to_review: { label: 'Referrals to review', page: 'referrals' },
  unattributed_conversions: {
    label: 'Conversions unattributed',
    page: 'referrals',
    view: 'unattributed',
  },
  payouts_to_send: { label: 'Payouts to send', page: 'payouts' },
  payouts_in_progress: { label: 'Payouts in progress', page: 'payouts' },
  holds_ending: { label: 'Commissions that clear within 7 days', page: 'commissions' },
}

const row = (label: string, value: string, note?: string) => ({ label, value, ...(note && { note }) })

/** In the reporting currency, and in all that have no rate to it; or by currency, if there is none. */
const amountsOf = ({ converted, money }: ExploredSums) =>
  converted ? [converted, ...converted.without_rate] : money

/** Those of either week, so that a currency that fell to nothing is shown; without a reporting currency, the largest ones of each. */
const currenciesOf = (weeks: ExploredSums[]): Set<string> =>
  new Set(
    weeks.flatMap(sums =>
      amountsOf(sums)
        .slice(0, sums.converted ? undefined : MOST_CURRENCIES)
        .map(({ currency }) => currency),
    ),
  )

const inCurrency = (sums: ExploredSums, currency: string) =>
  amountsOf(sums).find(each => each.currency === currency)

function performance({ exploration, added, addedBefore }: TeamFacts): MailSection {
  const { now, before } = exploration.total
  const count = (label: string, figure: 'clicks' | 'conversions') =>
    row(label, counted(now[figure]), changeOf(now[figure], before[figure]))
  const total = added[0]?.total ?? 0
  // If amounts are missing on either side for lack of a rate, the change would be that of the rates.
  const isComparable = [now, before].every(({ converted }) => !converted?.without_rate.length)
  const amounts = [...currenciesOf([now, before])].flatMap(currency => {
    const [sums, earlier] = [inCurrency(now, currency), inCurrency(before, currency)]
    const hasNoRate = now.converted !== null && currency !== now.converted.currency
    const figures = [
      ['Revenue', sums?.revenue_minor ?? 0, earlier?.revenue_minor ?? 0],
      ['Refunds', sums?.refunded_minor ?? 0, earlier?.refunded_minor ?? 0],
      ['Commissions', sums?.commissions_minor ?? 0, earlier?.commissions_minor ?? 0],
    ] as const
    return figures
      .filter(([, amount, past]) => amount !== 0 || (past !== 0 && isComparable))
      .map(([label, amount, past]) =>
        row(
          hasNoRate ? `${label} without a rate to ${now.converted?.currency}` : label,
          money(amount, currency),
          isComparable ? changeOf(amount, past) : undefined,
        ),
      )
  })
  return {
    title: 'Performance',
    rows: [
      count('Clicks', 'clicks'),
      count('Conversions', 'conversions'),
      row('New affiliates', counted(total), changeOf(total, addedBefore)),
      ...amounts,
    ],
  }
}

function topAffiliates({ exploration }: TeamFacts, dashboard: string): MailSection[] {
  const { currency } = exploration
  const earned = exploration.rows.flatMap(({ key, label, now }) => {
    const own = currency === null ? undefined : inCurrency(now, currency)
    if (!own || own.commissions_minor <= 0) return []
    const conversions =
      now.conversions === 0
        ? undefined
        : `${counted(now.conversions)} conversion${now.conversions === 1 ? '' : 's'}`
    const url = `${dashboard}/affiliates/${key}`
    return [{ ...row(label, money(own.commissions_minor, own.currency), conversions), url }]
  })
  return earned.length === 0
    ? []
    : [{ title: 'Top affiliates by commission', rows: earned.slice(0, TOP_AFFILIATES) }]
}

function newAffiliates({ added }: TeamFacts, dashboard: string): MailSection[] {
  const more = (added[0]?.total ?? 0) - added.length
  if (added.length === 0) return []
  return [
    {
      title: 'New affiliates',
      rows: [
        ...added.map(({ id, name }) => ({ label: name, url: `${dashboard}/affiliates/${id}` })),
        ...(more > 0 ? [{ label: `And ${counted(more)} more`, url: `${dashboard}/affiliates` }] : []),
      ],
    },
  ]
}

function needsAttention({ waiting }: TeamFacts, dashboard: string): MailSection[] {
  const kinds = (Object.keys(attentionLists) as (keyof Waiting)[]).filter(kind => waiting[kind] > 0)
  if (kinds.length === 0) return []
  return [
    {
      title: 'Needs attention',
      rows: kinds.map(kind => {
        const { label, page, view } = attention[kind]
        const query = new URLSearchParams(view ? { view } : {})
        for (const [name, value] of Object.entries(attentionLists[kind][1])) query.set(name, String(value))
        return { ...row(label, counted(waiting[kind])), url: `${dashboard}/${page}?${query}` }
      }),
    },
  ]
}

export function teamMail(facts: TeamFacts, baseUrl: string, unsubscribeUrl: string): Mail {
  const { account, period } = facts
  const dashboard = `${baseUrl}/dashboard/${account.slug}`
  const range = rangeText(period.from, period.to)
  return {
    kind: 'team_digest',
    subject: `${account.name}: your week, ${range}`,
    lines: [`Your affiliate programme from ${range}, compared with the week before.`],
    sections: [
      ...needsAttention(facts, dashboard),
      performance(facts),
      ...topAffiliates(facts, dashboard),
      ...newAffiliates(facts, dashboard),
    ],
    action: { label: 'Explore the week', url: `${dashboard}/explore?from=${period.from}&to=${period.to}` },
    unsubscribe: {
      reason: `You get this email every Monday because you're on the team of ${account.name}.`,
      label: 'Unsubscribe',
      url: unsubscribeUrl,
    },
  }
}
