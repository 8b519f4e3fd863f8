import { emails } from '@tributary/contract/portal/texts'
import type { Db } from '../db/database.ts'
import { SumsByKey } from '../insight/explored-sums.ts'
import { sumFacts } from '../insight/fact-sums.store.ts'
import type { Mail } from '../mail/render-mail.ts'
import { balancesOf } from '../money/ledger/balances.ts'
import { sumMoved } from './digest-facts.store.ts'
import { changeOf, counted, money, monthText } from './digest-text.ts'
import { type Period, periodBefore } from './period.ts'

interface Amount {
  currency: string
  amount_minor: number
}

/** An affiliate's month, and the money that is theirs now. */
export interface AffiliateFacts {
  clicks: { now: number; before: number }
  conversions: { now: number; before: number }
  earned: (Amount & { before_minor: number })[]
  /** Taken back, and added or taken by a person or for a returned payment. */
  clawbacks: Amount[]
  adjustments: Amount[]
  paid: Amount[]
  payable: Amount[]
  onHold: Amount[]
}

/** The month of each affiliate in whose month anything happened. */
export async function affiliateFacts(
  db: Db,
  accountId: number,
  period: Period,
  affiliateIds: number[],
): Promise<Map<number, AffiliateFacts>> {
  const { from, to } = period
  const sumsOf = async (range: { from: string; to: string }) => {
    // In the currencies that they are paid in: the reporting currency is the company's.
    const scope = { accountId, affiliateIds, ...range, reportingCurrency: null }
    return new SumsByKey(null).addFacts(await sumFacts(db, scope, 'affiliate')).ordered()
  }
  const sums = await sumsOf({ from, to })
  const sumsBefore = await sumsOf(periodBefore('affiliate', period))
  const moved = await sumMoved(db, accountId, { from, to, affiliateIds })
  const facts = new Map<number, AffiliateFacts>()
  for (const id of affiliateIds) {
    const now = sums.of(id)
    const before = sumsBefore.of(id)
    const own = moved.filter(({ affiliate_id }) => affiliate_id === id)
    const earned = now.money.filter(({ commissions_minor }) => commissions_minor > 0)
    if (now.clicks === 0 && now.conversions === 0 && earned.length === 0 && own.length === 0) continue
    const balances = await balancesOf(db, accountId, id)
    facts.set(id, {
      clicks: { now: now.clicks, before: before.clicks },
      conversions: { now: now.conversions, before: before.conversions },
      earned: earned.map(({ currency, commissions_minor: amount_minor }) => ({
        currency,
        amount_minor,
        before_minor: before.money.find(each => each.currency === currency)?.commissions_minor ?? 0,
      })),
      clawbacks: own.map(({ currency, clawbacks_minor: amount_minor }) => ({ currency, amount_minor })),
      adjustments: own.map(({ currency, adjustments_minor: amount_minor }) => ({ currency, amount_minor })),
      paid: own.map(({ currency, paid_minor: amount_minor }) => ({ currency, amount_minor })),
      payable: balances.map(({ currency, approved_minor: amount_minor }) => ({ currency, amount_minor })),
      onHold: balances.map(({ currency, pending_minor: amount_minor }) => ({ currency, amount_minor })),
    })
  }
  return facts
}

const texts = emails.digest

const isPositive = ({ amount_minor }: Amount) => amount_minor > 0

/** Amounts, a row for each currency. */
const amountRows = (label: string, amounts: Amount[]) =>
  amounts
    .filter(({ amount_minor }) => amount_minor !== 0)
    .map(({ currency, amount_minor }) => ({ label, value: money(amount_minor, currency) }))

export function affiliateMail(
  { clicks, conversions, earned, clawbacks, adjustments, paid, payable, onHold }: AffiliateFacts,
  { from }: Pick<Period, 'from'>,
  { company, portal, unsubscribeUrl }: { company: string; portal: string; unsubscribeUrl: string },
): Mail {
  const month = monthText(from)
  const compared = (label: string, value: string, now: number, before: number) => {
    const note = changeOf(now, before)
    return { label, value, ...(note && { note }) }
  }
  const moneyRows = [
    ...amountRows(texts.clawbacks(month), clawbacks),
    ...amountRows(texts.adjustments(month), adjustments),
    ...amountRows(texts.paid(month), paid),
    // A negative balance is no money to be had: what was taken back is above.
    ...amountRows(texts.payable, payable.filter(isPositive)),
    ...amountRows(texts.onHold, onHold.filter(isPositive)),
  ]
  return {
    kind: 'affiliate_digest',
    subject: texts.subject(company, month),
    lines: texts.lines(company, month),
    sections: [
      {
        title: texts.performance,
        rows: [
          compared(texts.clicks, counted(clicks.now), clicks.now, clicks.before),
          compared(texts.conversions, counted(conversions.now), conversions.now, conversions.before),
          ...earned.map(({ currency, amount_minor, before_minor }) =>
            compared(texts.earned, money(amount_minor, currency), amount_minor, before_minor),
          ),
        ],
      },
      ...(moneyRows.length === 0 ? [] : [{ title: texts.money, rows: moneyRows }]),
    ],
    action: { label: texts.action, url: portal },
    unsubscribe: { reason: texts.reason(company), label: texts.unsubscribe, url: unsubscribeUrl },
  }
}

/** For the preview in the settings. */
export const sampleFacts: AffiliateFacts = {
  clicks: { now: 1284, before: 1102 },
  conversions: { now: 31, before: 24 },
  earned: [{ currency: 'USD', amount_minor: 77_500, before_minor: 60_000 }],
  clawbacks: [{ currency: 'USD', amount_minor: -2500 }],
  adjustments: [],
  paid: [{ currency: 'USD', amount_minor: 60_000 }],
  payable: [{ currency: 'USD', amount_minor: 42_500 }],
  onHold: [{ currency: 'USD', amount_minor: 35_000 }],
}
