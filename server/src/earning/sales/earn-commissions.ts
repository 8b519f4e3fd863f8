import type { Commission, Referral, SaleResult } from '@tributary/contract'
import type { Tx } from '../../db/database.ts'
import { assertAmount } from '../../kit/largest-amount.ts'
import { convertMinor, shareOf } from '../../kit/money.ts'
import { DAY_MS } from '../../kit/timestamp.ts'
import { writeDrawnEntry, writeEntry } from '../../money/commissions/write-entry.ts'
import { type Rate, rateOn } from '../../money/fx/exchange.ts'
import type { DrawnEntries } from '../../money/ledger/drawn-entries.ts'
import type { NewEntry } from '../../money/ledger/entry.ts'
import type { CampaignTerms, RuleInForce } from '../../programme/campaigns/campaign-terms.ts'
import { isWithinMonthsOfFirst, type SaleRow, setAwaitsRate } from './sale.store.ts'

/** What a sale earns under a rule, in the currency of the sale or of the flat amount. */
function earned({ rule }: RuleInForce, sale: SaleRow): { amountMinor: bigint; currency: string } {
  return rule.kind === 'percent'
    ? { amountMinor: shareOf(BigInt(sale.amount_minor), rule.rateBasisPoints), currency: sale.currency }
    : { amountMinor: BigInt(rule.amountMinor), currency: rule.currency }
}

interface Earning {
  rule: RuleInForce
  amountMinor: bigint
  currency: string
  payoutMinor: bigint
  rate: Rate | undefined
}

/** The payout amounts of all rules, or undefined if an exchange rate is missing: then nothing is written yet. */
async function earnings(
  tx: Tx,
  sale: SaleRow,
  terms: CampaignTerms,
  rules: RuleInForce[],
): Promise<Earning[] | undefined> {
  const found: Earning[] = []
  const payoutCurrency = terms.campaign.payout_currency
  for (const rule of rules) {
    const { amountMinor, currency } = earned(rule, sale)
    if (currency === payoutCurrency) {
      found.push({ rule, amountMinor, currency, payoutMinor: amountMinor, rate: undefined })
      continue
    }
    const rate = await rateOn(tx, currency, payoutCurrency, sale.occurred_at.slice(0, 10))
    if (!rate) return undefined
    const payoutMinor = convertMinor(amountMinor, currency, payoutCurrency, rate.decimal)
    assertAmount(`amount_minor, converted to a commission in ${payoutCurrency},`, payoutMinor)
    found.push({ rule, amountMinor, currency, payoutMinor, rate })
  }
  return found
}

function entryOf(sale: SaleRow, referral: Referral, terms: CampaignTerms, earning: Earning): NewEntry {
  const { campaign } = terms
  const { rule, rate } = earning
  // No hold, and the referral does not need a review.
  const isPayable = campaign.hold_days === 0 && referral.status === 'approved'
  const holdUntil = new Date(Date.parse(sale.occurred_at) + campaign.hold_days * DAY_MS).toISOString()
  return {
    campaign_id: campaign.id,
    affiliate_id: referral.affiliate_id,
    referral_id: referral.id,
    entry_type: rule.entryType,
    beneficiary: rule.beneficiary,
    amount_minor: earning.amountMinor,
    currency: earning.currency,
    payout_amount_minor: earning.payoutMinor,
    payout_currency: campaign.payout_currency,
    status: isPayable ? 'approved' : 'pending',
    hold_until: isPayable ? null : holdUntil,
    description: `Sale ${sale.external_id}`,
    sale_id: sale.id,
    rule_version: rule.version,
    fx_rate: rate?.text ?? null,
    fx_source: rate?.source ?? null,
  }
}

/** What a sale has earned so far, and whether it is waiting for an exchange rate. */
export type Earned = Pick<SaleResult, 'commissions' | 'waiting_for'>

/**
 * Writes what a sale earns under the rules in force. If an exchange rate is missing, the sale is marked instead and earns once the rate
 * is available: never dropped, never guessed. A sale of 0 earns nothing, and a commission that rounds to 0 is not written. `drawn` is for
 * a sale that was inserted in this transaction.
 */
export async function earnCommissions(
  tx: Tx,
  accountId: number,
  sale: SaleRow,
  referral: Referral,
  terms: CampaignTerms,
  drawn?: DrawnEntries,
): Promise<Earned> {
  if (referral.status === 'rejected' || sale.amount_minor === 0) {
    if (sale.awaits_rate) await setAwaitsRate(tx, accountId, sale.id, false)
    return { commissions: [], waiting_for: null }
  }
  const rules: RuleInForce[] = []
  for (const rule of terms.rules)
    if (
      rule.recurringMonths === null ||
      (await isWithinMonthsOfFirst(tx, accountId, sale.id, rule.recurringMonths))
    )
      rules.push(rule)
  const found = await earnings(tx, sale, terms, rules)
  if (sale.awaits_rate !== (found === undefined))
    await setAwaitsRate(tx, accountId, sale.id, found === undefined)
  const commissions: Commission[] = []
  for (const earning of found ?? []) {
    if (earning.amountMinor === 0n) continue
    const entry = entryOf(sale, referral, terms, earning)
    const commission = drawn
      ? await writeDrawnEntry(tx, accountId, entry, drawn)
      : await writeEntry(tx, accountId, entry)
    if (commission) commissions.push(commission)
  }
  return { commissions, waiting_for: found === undefined ? 'fx_rate' : null }
}
