import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import { withoutHidden } from '@tributary/contract/one-line'
import type { BinaryFile } from '@tributary/contract/portal'
import { statement as texts } from '@tributary/contract/portal/texts'
import { currentTime } from '../db/current-time.ts'
import type { Db } from '../db/database.ts'
import { readSnapshot } from '../db/snapshot.ts'
import { DomainError, notFound } from '../kit/domain-error.ts'
import { formatMinor } from '../kit/money.ts'
import { Turns } from '../kit/turns.ts'
import { readNewestLines, type StatementLine } from '../money/ledger/statement.ts'
import type { Mask } from '../money/statements/csv-statement.ts'
import { portalOfAccount } from '../programme/portal-settings/portal-of-account.ts'
import { findMe, type Own } from './portal-lists.store.ts'

const MARGIN = 48
const COLUMNS = { date: 0, what: 80, amount: 300, balance: 400 }
const NUMBER_WIDTH = 98
const LINE_HEIGHT = 30

/** A document is for reading. Drawing this many takes a second of the processor, and 200 pages. */
const MOST_LINES = 5000
/** Between two pieces of a drawing others get their turn. */
const PIECE_MS = 8
/** One is drawn at a time: two would not be ready sooner, and would take twice as much from everybody else. */
const drawings = new Turns(100)
const drawing = { shares: [{ name: 'drawing', most: 1 }], mostWaiting: 100 }

const fonts = () => {
  const folder = dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json'))
  return { regular: join(folder, 'ttf/DejaVuSans.ttf'), bold: join(folder, 'ttf/DejaVuSans-Bold.ttf') }
}

const day = (time: string) => time.slice(0, 10)

/** What a line is about, in two lines: the kind and campaign, then the customer or the company's words. */
function wordsOf(line: StatementLine, mask: Mask): { head: string; detail: string } {
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
 * The statement as a document to keep, of one moment of the ledger. The fonts come along: a name in Greek or Polish is not a
 * row of boxes. A very long one holds the newest entries and says so; the CSV file has them all. It is drawn in pieces, between
 * which others are served, and no further once its reader has gone.
 */
export async function statementPdf(
  { db, files, signal, ...own }: Own & { db: Db; files: Db; signal: AbortSignal },
  mask: Mask,
  asOf: string | undefined,
): Promise<BinaryFile> {
  const affiliate = await findMe(db, own)
  if (!affiliate) throw notFound('affiliate')
  const portal = await portalOfAccount(db, own.accountId)
  const moment = asOf ?? (await currentTime(db))
  // Before anything is drawn: the connection is free again however long that takes.
  const { lines, totals } = await readSnapshot(files, tx =>
    readNewestLines(tx, own.accountId, own.affiliateId, MOST_LINES, asOf),
  )
  const total = totals.reduce((sum, each) => sum + each.lines, 0)
  // Loaded when somebody asks for a document: most processes never do.
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
    cell(texts.columns.what, COLUMNS.what, 210)
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
    if (y + LINE_HEIGHT > bottom) {
      beginPage()
      heading()
    }
    const { head, detail } = wordsOf(each, mask)
    document.fontSize(9).fillColor(each.status_then === 'void' ? '#98a2b3' : '#1d2939')
    cell(day(each.created_at), COLUMNS.date, 76)
    cell(head, COLUMNS.what, 215)
    number(
      `${formatMinor(each.payout_amount_minor, each.payout_currency)} ${each.payout_currency}`,
      COLUMNS.amount,
    )
    // Credit is no part of what is owed, so a line of it has no such balance; what it adds up to stands at the end.
    if (!each.is_credit)
      number(
        `${formatMinor(each.balance_minor, each.payout_currency)} ${each.payout_currency}`,
        COLUMNS.balance,
      )
    document.fontSize(8).fillColor('#667085')
    if (detail) cell(detail, COLUMNS.what, 215, 'left', y + 12)
    y += LINE_HEIGHT
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
      texts.asOf(day(moment)),
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
    let pieceBegun = performance.now()
    for (const each of lines) {
      line(each)
      if (performance.now() - pieceBegun < PIECE_MS) continue
      await otherWork(undefined, { signal })
      pieceBegun = performance.now()
    }
    if (totals.length === 0) cell(texts.empty, 0, 400)
    y += 8
    document.font(bold).fontSize(10).fillColor('#1d2939')
    const sum = (title: string, minor: number, currency: string) => {
      if (y + LINE_HEIGHT > bottom) beginPage()
      cell(title, COLUMNS.what, 300)
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
  if (!end) throw new DomainError('rate_limited', 'Too many statements are being made. Try again shortly.')
  write()
    .catch(error => document.destroy(error))
    .finally(end)
  return { name: 'statement.pdf', type: 'application/pdf', bytes: document }
}
