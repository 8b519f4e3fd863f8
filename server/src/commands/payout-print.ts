import type { Db } from '../db/database.ts'
import { streamSnapshot } from '../db/stream-snapshot.ts'
import { formatMinor } from '../kit/money.ts'
import type { PayableRow } from '../money/ledger/payable.ts'
import { streamHeads } from '../money/payouts/payout.store.ts'
import type { PayoutRequest } from '../money/payouts/payout-scope.ts'
import { previewPayout } from '../money/payouts/preview-payout.ts'
import { showPayout } from '../money/payouts/show-payout.ts'
import { accountSlug } from '../programme/accounts/account-slug.ts'
import { counted, printLine } from './options.ts'

/** Waits for the reader, so that output does not pile up in memory. */
const write = (text: string) => new Promise<void>(resolve => void process.stdout.write(text, () => resolve()))

/** A JSON array of any length, printed a page at a time. */
class LongArray {
  readonly #opening: string
  #isOpen = false

  constructor(opening: string) {
    this.#opening = opening
  }

  async print(page: object[]): Promise<void> {
    const text = page.map(each => JSON.stringify(each)).join(',')
    await write((this.#isOpen ? ',' : this.#opening) + text)
    this.#isOpen = true
  }

  close(closing: string): Promise<void> {
    return write((this.#isOpen ? '' : this.#opening) + closing)
  }
}

export async function printPreview(
  db: Db,
  account: number,
  request: PayoutRequest,
  json: boolean,
): Promise<void> {
  const array = new LongArray('{"affiliates":[')
  const preview = await previewPayout(db, account, request, (page, { currency }) =>
    json ? array.print(page.map(row => affiliateOf(row, currency))) : printAffiliates(page, currency),
  )
  const { currency } = preview
  const rest = {
    campaign_id: preview.campaignId,
    rail: preview.rail,
    currency,
    cut_off: preview.cutOff,
    time_zone: preview.timeZone,
    minimum_payout_minor: preview.minimumMinor,
    total_minor: preview.total_minor,
    item_count: preview.items,
    excluded: preview.excluded,
    digest: preview.digest,
  }
  if (json) await array.close(`],${JSON.stringify(rest).slice(1)}\n`)
  else
    printLine(
      `${counted(preview.items, 'payment')}, ${formatMinor(preview.total_minor, currency)} ${currency}. Digest ${preview.digest}`,
    )
}

const affiliateOf = ({ paypal_email, reason, ...row }: PayableRow, currency: string) => ({
  ...row,
  item: reason === null ? { amount_minor: row.payable_minor, currency, payout_address: paypal_email } : null,
  reason,
})

function printAffiliates(page: PayableRow[], currency: string): void {
  for (const { affiliate_id, email, balance_minor, payable_minor, entries, reason } of page) {
    const result =
      reason === null
        ? `pays ${formatMinor(payable_minor, currency)} for ${counted(entries, 'commission')}`
        : `excluded: ${reason}`
    printLine(`${affiliate_id}  ${email}  balance ${formatMinor(balance_minor, currency)}  ${result}`)
  }
}

/** All payouts, of any number. */
async function printPayouts(
  db: Db,
  { account, campaign, json }: { account: number; campaign?: number; json?: boolean },
): Promise<void> {
  await accountSlug(db, account)
  const array = new LongArray('[')
  for await (const page of streamSnapshot(db, tx => streamHeads(tx, account, campaign))) {
    if (json) await array.print(page)
    else
      for (const { id, campaign_id, rail, status, item_count, total_minor, currency, created_at } of page)
        printLine(
          `${id}  campaign ${campaign_id}  ${rail}  ${status}  ${counted(item_count, 'payment')}  ${formatMinor(total_minor, currency)} ${currency}  ${created_at}`,
        )
  }
  if (json) await array.close(']\n')
}

export async function printShow(
  db: Db,
  options: { account: number; id?: number; campaign?: number; json?: boolean },
): Promise<void> {
  if (options.id === undefined) return printPayouts(db, options)
  await showPayout(db, options.account, options.id, async (payout, pages) => {
    if (options.json) {
      const array = new LongArray(`${JSON.stringify(payout).slice(0, -1)},"items":[`)
      for await (const page of pages) await array.print(page)
      return array.close(']}\n')
    }
    printLine(
      `Payout ${payout.id} is ${payout.status}: ${counted(payout.item_count, 'payment')}, ${formatMinor(payout.total_minor, payout.currency)} ${payout.currency} via ${payout.rail}.`,
    )
    for (const { sender_batch_id, external_id, status, problem } of payout.submissions)
      printLine([`Batch ${sender_batch_id} is ${status}`, external_id, problem].filter(Boolean).join(': '))
    for await (const items of pages)
      for (const { id, email, amount_minor, currency, status, reason, reference } of items)
        printLine(
          [id, email, formatMinor(amount_minor, currency), status, reason, reference]
            .filter(Boolean)
            .join('  '),
        )
  })
}
