import { Badge, Box, Text } from '@mantine/core'
import type { CommissionSummary } from '@tributary/contract/dashboard'
import { Money, Status } from '../../ui/values.tsx'
import type { Column } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { AffiliateLink, PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

const { fields, states } = sharedTexts

const entry: Column<CommissionSummary> = {
  title: texts.columns.id,
  cell: row => <PageLink to={`commissions/${row.id}`}>{row.id}</PageLink>,
}
const affiliate: Column<CommissionSummary> = {
  title: fields.affiliate,
  cell: row => (
    <Box miw={140} maw={230}>
      <AffiliateLink id={row.affiliate_id} name={row.affiliate_name} email={row.affiliate_email} />
    </Box>
  ),
}
const rest: Column<CommissionSummary>[] = [
  {
    title: fields.type,
    cell: row => (
      <>
        {texts.types[row.entry_type]}
        {row.beneficiary === 'referee' && (
          <Text span size="xs" c="dimmed">
            {' '}
            {texts.forCustomer}
          </Text>
        )}
        {row.is_test && (
          <Badge size="xs" variant="outline" color="gray" ml={6} tt="none">
            {states.test}
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
    title: fields.amount,
    align: 'right',
    cell: row => (
      <>
        <Money minor={row.payout_amount_minor} currency={row.payout_currency} />
        {row.currency !== row.payout_currency && (
          <Text size="xs" c="dimmed">
            {texts.convertedFrom} <Money minor={row.amount_minor} currency={row.currency} />
          </Text>
        )}
      </>
    ),
  },
  { title: fields.status, cell: row => <Status value={row.status} /> },
  {
    title: texts.columns.clearsOn,
    cell: row => (row.status === 'pending' && row.hold_until ? <When time={row.hold_until} /> : states.none),
  },
  { title: fields.date, sorts: true, cell: row => <When time={row.created_at} /> },
]

export const commissionColumns = [entry, affiliate, ...rest]
/** For pages of one affiliate or referral. */
export const ownCommissionColumns = [entry, ...rest]
