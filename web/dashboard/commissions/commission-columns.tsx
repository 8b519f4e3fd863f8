import { Badge, Box, Text } from '@mantine/core'
import type { CommissionSummary } from '@tributary/contract/dashboard'
import { Money, Status } from '../../ui/values.tsx'
import type { Column } from '../shared/data-table.tsx'
import { When } from '../shared/facts.tsx'
import { AffiliateLink, PageLink } from '../shared/named-links.tsx'

export const entryTypes: Record<CommissionSummary['entry_type'], string> = {
  earned: 'Earned',
  clawback: 'Clawback',
  adjustment: 'Adjustment',
  payout: 'Payout',
  credit: 'Credit',
}

const entry: Column<CommissionSummary> = {
  title: 'Entry',
  cell: row => <PageLink to={`commissions/${row.id}`}>{row.id}</PageLink>,
}
const affiliate: Column<CommissionSummary> = {
  title: 'Affiliate',
  cell: row => (
    <Box miw={140} maw={230}>
      <AffiliateLink id={row.affiliate_id} name={row.affiliate_name} email={row.affiliate_email} />
    </Box>
  ),
}
const rest: Column<CommissionSummary>[] = [
  {
    title: 'Type',
    cell: row => (
      <>
        {entryTypes[row.entry_type]}
        {row.beneficiary === 'referee' && (
          <Text span size="xs" c="dimmed">
            {' '}
            to the customer
          </Text>
        )}
        {row.is_test && (
          <Badge size="xs" variant="outline" color="gray" ml={6} tt="none">
            Test
          </Badge>
        )}
        {row.description && (
          <Text size="xs" c="dimmed" maw={240} truncate title={row.description}>
            {row.description}
          </Text>
        )}
      </>
    ),
  },
  {
    title: 'Amount',
    align: 'right',
    cell: row => (
      <>
        <Money minor={row.payout_amount_minor} currency={row.payout_currency} />
        {row.currency !== row.payout_currency && (
          <Text size="xs" c="dimmed">
            from <Money minor={row.amount_minor} currency={row.currency} />
          </Text>
        )}
      </>
    ),
  },
  { title: 'Status', cell: row => <Status value={row.status} /> },
  {
    title: 'Hold until',
    cell: row => (row.status === 'pending' && row.hold_until ? <When time={row.hold_until} /> : '–'),
  },
  { title: 'When', sorts: true, cell: row => <When time={row.created_at} /> },
]

export const commissionColumns = [entry, affiliate, ...rest]
/** Where everybody knows whose entries they are. */
export const ownCommissionColumns = [entry, ...rest]
