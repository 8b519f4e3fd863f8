import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { withoutHidden } from '@tributary/contract/one-line'
import type { BinaryFile } from '@tributary/contract/portal'
import { date, statement as texts } from '@tributary/contract/portal/texts'
import type { Db } from '../db/database.ts'
import { readSnapshot } from '../db/snapshot.ts'
import { DomainError, notFound } from '../kit/domain-error.ts'
import { formatMinor } from '../kit/money.ts'
import { Turns } from '../kit/turns.ts'
import { readNewestLines, type StatementLine } from '../money/ledger/statement.ts'
import type { Mask } from '../money/statements/csv-statement.ts'
import { dayIn, localMoment } from '../programme/accounts/local-time.store.ts'
import { portalOfAccount } from '../programme/portal-settings/portal.store.ts'
import { findMe, type Own } from './portal-lists.store.ts'

const MARGIN = 48
const COLUMNS = { date: 0, description: 80, amount: 300, balance: 400 }
const NUMBER_WIDTH = 98
const LINE_HEIGHT = 30
/** The outcome of credit is below its line, as wide as the columns beside it. */
const OUTCOME_WIDTH = 418

/** A PDF is for reading. This many lines take a second of CPU time and fill 200 pages. */
const MOST_LINES = 5000
/** How long rendering runs before it yields to the event loop. */
const SLICE_MS = 8
/** One is rendered at a time: two in parallel would not finish sooner, and would take twice the CPU time from other requests. */
const drawings = new Turns(100)
const drawing = { shares: [{ name: 'drawing', most: 1 }], mostWaiting: 100 }

const fonts = () => {
  const folder = dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json'))
  return { regular: join(folder, 'ttf/DejaVuSans.ttf'), bold: join(folder, 'ttf/DejaVuSans-Bold.ttf') }
}

/** A line's description: its type and campaign, and below them the customer and the company's note. */
function describe(line: StatementLine, mask: Mask): { head: string; detail: string } {
  const isOfSale = line.referral_id !== null
  const note = { pending: texts.pending, void: texts.void }[line.status_then as string]
  return {
    head: `${texts.entries[line.entry_type]}${note ? ` (${note})` : ''} · ${line.campaign_name}`,
    detail: [mask.customer(line.customer_ref), mask.text(line.description, isOfSale)]
      .filter(Boolean)
      .join(' · '),
  }
}

/**
 * The statement as a PDF, from one snapshot of the ledger. Fonts are embedded, so names in Greek or Polish render. A very long
 * statement is limited to the newest lines and says how many there are; the CSV has them all. Rendering yields to other requests
 * between slices and stops when the client disconnects.
 */
export async function statementPdf(
  { db, files, signal, ...own }: Own & { db: Db; files: Db; signal: AbortSignal },
  mask: Mask,
  asOf: string | undefined,
): Promise<BinaryFile> {
  const affiliate = await findMe(db, own)
  if (!affiliate) throw notFound('affiliate')
  const portal = await portalOfAccount(db, own.accountId)
  const moment = await localMoment(db, own.accountId, asOf)
  const { time_zone: timeZone } = moment
  const day = await dayIn(db, timeZone, moment.at)
  // Read in full before rendering, so the connection is not held while it runs.
  const { lines, totals } = await readSnapshot(files, tx =>
    readNewestLines(tx, own.accountId, own.affiliateId, timeZone, MOST_LINES, asOf && moment.at),
  )
  const total = totals.reduce((sum, each) => sum + each.lines, 0)
  // Loaded on first use: most processes never render a PDF.
  const { default: PDFDocument } = await import('pdfkit')
  const { regular, bold } = fonts()
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: regular,
    info: { Title: texts.title, Author: portal.name ?? portal.account_name },
  })

  let y = 0
  let page = 0
  const bottom = document.page.height - MARGIN - 24
  const cell = (text: string, x: number, width: number, align: 'left' | 'right' = 'left', at = y) =>
    document.text(withoutHidden(text), MARGIN + x, at, { width, align, lineBreak: false, ellipsis: true })
  const number = (text: string, x: number) => cell(text, x, NUMBER_WIDTH, 'right')

  function beginPage(): void {
    if (page > 0) document.addPage()
    page += 1
    document.fontSize(8).fillColor('#667085')
    cell(texts.page(page), 0, document.page.width - 2 * MARGIN, 'right', document.page.height - MARGIN - 12)
    y = MARGIN
  }
  function heading(): void {
    document.font(bold).fontSize(8).fillColor('#667085')
    cell(texts.columns.date, COLUMNS.date, 76)
    cell(texts.columns.description, COLUMNS.description, 210)
    number(texts.columns.amount, COLUMNS.amount)
    number(texts.columns.balance, COLUMNS.balance)
    y += 14
    document
      .moveTo(MARGIN, y)
      .lineTo(document.page.width - MARGIN, y)
      .lineWidth(0.5)
      .stroke('#d0d5dd')
    y += 8
    document.font(regular).fontSize(9)
  }
  function line(each: StatementLine): void {
    const { head, detail } = describe(each, mask)
    document.fontSize(8)
    const height =
      LINE_HEIGHT +
      (each.outcome ? document.heightOfString(each.outcome, { width: OUTCOME_WIDTH }) - (detail ? 0 : 12) : 0)
    if (y + height > bottom) {
      beginPage()
      heading()
    }
    document.fontSize(9).fillColor(each.status_then === 'void' ? '#98a2b3' : '#1d2939')
    cell(date(each.day), COLUMNS.date, 76)
    cell(head, COLUMNS.description, 215)
    number(
      `${formatMinor(each.payout_amount_minor, each.payout_currency)} ${each.payout_currency}`,
      COLUMNS.amount,
    )
    // Credit is not part of the balance, so its lines show none; its total is at the end.
    if (!each.is_credit)
      number(
        `${formatMinor(each.balance_minor, each.payout_currency)} ${each.payout_currency}`,
        COLUMNS.balance,
      )
    document.fontSize(8).fillColor('#667085')
    if (detail) cell(detail, COLUMNS.description, 215, 'left', y + 12)
    if (each.outcome) {
      const at = y + (detail ? 24 : 12)
      document.text(withoutHidden(each.outcome), MARGIN + COLUMNS.description, at, { width: OUTCOME_WIDTH })
    }
    y += height
  }

  async function write(): Promise<void> {
    beginPage()
    document.font(bold).fontSize(18).fillColor('#1d2939')
    cell(texts.title, 0, 400)
    y += 28
    document.font(regular).fontSize(10)
    for (const text of [
      portal.name ?? portal.account_name,
      affiliate?.name,
      affiliate?.email,
      texts.asOf(date(day)),
      texts.zone(timeZone),
    ]) {
      if (!text) continue
      cell(text, 0, 400)
      y += 15
    }
    if (total > lines.length) {
      cell(texts.newest(lines.length, total), 0, 400)
      y += 15
    }
    y += 15
    heading()
    let sliceStart = performance.now()
    for (const each of lines) {
      line(each)
      if (performance.now() - sliceStart < SLICE_MS) continue
      await yieldToOthers(undefined, { signal })
      sliceStart = performance.now()
    }
    if (totals.length === 0) cell(texts.empty, 0, 400)
    y += 8
    document.font(bold).fontSize(10).fillColor('#1d2939')
    const sum = (title: string, minor: number, currency: string) => {
      if (y + LINE_HEIGHT > bottom) beginPage()
      cell(title, COLUMNS.description, 300)
      number(`${formatMinor(minor, currency)} ${currency}`, COLUMNS.balance)
      y += 18
    }
    for (const { currency, balance_minor, credit_balance_minor } of totals) {
      sum(texts.balance(currency), balance_minor, currency)
      if (credit_balance_minor !== 0) sum(texts.credit(currency), credit_balance_minor, currency)
    }
    document.end()
  }
  const end = await drawings.take(drawing.shares, { giveUp: signal, mostWaiting: drawing.mostWaiting })
  if (!end)
    throw new DomainError('rate_limited', 'Too many statements are being generated. Try again in a minute.')
  write()
    .catch(error => document.destroy(error))
    .finally(end)
  return { name: 'statement.pdf', type: 'application/pdf', bytes: document }
}
