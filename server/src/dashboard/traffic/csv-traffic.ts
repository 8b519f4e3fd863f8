import type { DashboardQuery, ListedClick } from '@tributary/contract/dashboard'
import type { Db } from '../../db/database.ts'
import { streamSnapshot } from '../../db/stream-snapshot.ts'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'
import type { Searched } from '../search/searched.ts'
import { streamClicks } from './click-list.store.ts'
import { type ExportedSale, streamSales } from './sale-list.store.ts'
import { isSearched } from './sale-search.store.ts'

const namesOf = (row: ExportedSale | ListedClick) => [
  row.affiliate_id,
  row.affiliate_email,
  row.affiliate_name,
  row.campaign_id,
  row.campaign_name,
]

const saleLine = (sale: ExportedSale): string =>
  csvLine([
    sale.id,
    sale.occurred_at,
    sale.external_id,
    sale.referral_id,
    sale.customer_ref,
    ...namesOf(sale),
    formatMinor(sale.amount_minor, sale.currency),
    formatMinor(sale.refunded_minor, sale.currency),
    sale.currency,
    sale.status,
  ])

/** The list of sales as a file of any length. */
export async function* csvSales(
  db: Db,
  accountId: number,
  query: DashboardQuery<'exportSales'>,
  searched?: Searched,
): AsyncGenerator<string> {
  yield csvLine(
    'sale occurred_at external_id referral customer affiliate_id affiliate_email affiliate_name campaign_id campaign amount refunded currency status'.split(
      ' ',
    ),
  )
  const found = searched && isSearched(accountId, searched)
  for await (const sales of streamSnapshot(db, tx => streamSales(tx, accountId, query, found)))
    yield sales.map(saleLine).join('')
}

const clickLine = (click: ListedClick): string =>
  csvLine([
    click.id,
    click.created_at,
    ...namesOf(click),
    String(click.is_bot),
    click.landing_page,
    click.referrer,
    click.utm_source,
    click.utm_medium,
    click.utm_campaign,
    click.sub_id,
    click.device,
    click.country,
    click.ad,
  ])

/** The list of clicks as a file of any length. */
export async function* csvClicks(
  db: Db,
  accountId: number,
  query: DashboardQuery<'exportClicks'>,
): AsyncGenerator<string> {
  yield csvLine(
    'click created_at affiliate_id affiliate_email affiliate_name campaign_id campaign is_bot landing_page referrer utm_source utm_medium utm_campaign sub_id device country ad'.split(
      ' ',
    ),
  )
  for await (const clicks of streamSnapshot(db, tx => streamClicks(tx, accountId, query)))
    yield clicks.map(clickLine).join('')
}
