import { Box, Text } from '@mantine/core'
import type { ListedSale } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { TextLink } from '../shared/links.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'
import { affiliateColumn, campaignColumn, RowsPage } from './rows-page.tsx'

const { fields } = sharedTexts
const { columns: labels } = texts.rows

const columns: Column<ListedSale>[] = [
  { title: fields.date, sorts: true, cell: row => <When time={row.occurred_at} /> },
  {
    title: labels.externalId,
    cell: row => (
      <Box miw={90} style={{ overflowWrap: 'anywhere' }}>
        {row.external_id}
      </Box>
    ),
  },
  {
    title: fields.customer,
    cell: row => (
      <Box miw={90} style={{ overflowWrap: 'anywhere' }}>
        {row.referral_id === null ? (
          row.customer_ref
        ) : (
          <PageLink to={`referrals/${row.referral_id}`}>{row.customer_ref}</PageLink>
        )}
      </Box>
    ),
  },
  affiliateColumn,
  campaignColumn,
  {
    title: fields.amount,
    align: 'right',
    cell: row => <Money minor={row.amount_minor} currency={row.currency} />,
  },
  {
    title: labels.refunded,
    align: 'right',
    hiddenOn: 'small-laptop',
    cell: row =>
      row.refunded_minor > 0 ? (
        <Money minor={row.refunded_minor} currency={row.currency} />
      ) : (
        sharedTexts.metrics.none
      ),
  },
]

/** Why a sale doesn't count. */
const statusColumn: Column<ListedSale> = {
  title: labels.counts,
  cell: row => {
    const label = texts.rows.saleStatus[row.status]
    if (row.status !== 'unattributed') return label
    if (row.is_explained)
      return (
        <TextLink
          to="/$account/referrals"
          search={{ view: 'unattributed', customer_ref: row.customer_ref }}
          inherit
        >
          {label}
        </TextLink>
      )
    return (
      <>
        {label}
        <Text size="xs" c="dimmed">
          {row.later_referral_id === null ? (
            texts.rows.noConversion
          ) : (
            <PageLink to={`referrals/${row.later_referral_id}`}>{texts.rows.beforeConversion}</PageLink>
          )}
        </Text>
      </>
    )
  },
}

/** What revenue consists of. */
export const Sales = () => (
  <RowsPage shown="sales" route="exportSales" note={texts.rows.salesNote}>
    {(query, empty) => (
      <DataTable
        route="listSales"
        label={texts.views.sales}
        query={query}
        columns={query.is_counted ? columns : [...columns, statusColumn]}
        note={({ is_partial }) => is_partial && texts.rows.isPartial}
        empty={empty}
      />
    )}
  </RowsPage>
)
