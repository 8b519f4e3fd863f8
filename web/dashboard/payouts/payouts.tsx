import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { PayoutSummary } from '@tributary/contract/dashboard'
import { count, words } from '../../ui/format.ts'
import { Money, Status } from '../../ui/values.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { CampaignFilter, ChoiceFilter, FilterBar } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { railWords } from './payout-words.ts'
import { offeredRails, payoutStatuses } from './payouts.search.ts'

const filterNames = ['status', 'campaign_id', 'rail'] as const

const columns: Column<PayoutSummary>[] = [
  {
    title: 'Payout',
    cell: row => (
      <span style={{ whiteSpace: 'nowrap' }}>
        <PageLink to={`payouts/${row.id}`}>Payout {row.id}</PageLink>
      </span>
    ),
  },
  { title: 'Status', cell: row => <Status value={row.status} /> },
  {
    title: 'Campaign',
    cell: row => <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name}</PageLink>,
  },
  { title: 'Rail', cell: row => railWords[row.rail] },
  { title: 'Items', align: 'right', cell: row => count(row.item_count) },
  { title: 'Total', align: 'right', cell: row => <Money minor={row.total_minor} currency={row.currency} /> },
  { title: 'Created', sorts: true, cell: row => <When time={row.created_at} /> },
]

export function Payouts() {
  const { values, bind, used, clear } = useFilters('/$account/payouts')
  const path = usePath()
  const navigate = useNavigate()
  const query = {
    status: values.status,
    campaign_id: values.campaign_id,
    rail: values.rail,
  }
  const isFiltered = used(filterNames) > 0
  return (
    <>
      <PageHead title="Payouts" note="What was paid to affiliates, and what is about to be.">
        <ExportLink route="exportPayouts" query={query} />
        <NewPayoutButton />
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <ChoiceFilter
          label="Status"
          {...bind('status')}
          options={payoutStatuses.map(value => ({ value, label: words(value) }))}
        />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter
          label="Rail"
          {...bind('rail')}
          options={offeredRails.map(value => ({ value, label: railWords[value] }))}
        />
      </FilterBar>
      <DataTable
        route="listPayouts"
        label="Payouts"
        query={query}
        columns={columns}
        onRow={row => void navigate({ to: path(`payouts/${row.id}`) })}
        empty={
          isFiltered ? (
            <EmptyState title="No payout matches the filters">Take one away to see more.</EmptyState>
          ) : (
            <EmptyState title="No payouts yet" action={<NewPayoutButton />}>
              A payout pays what affiliates have earned in a campaign. Before it is made, a dry run shows who
              would get how much, and why everybody else gets nothing.
            </EmptyState>
          )
        }
      />
    </>
  )
}

function NewPayoutButton() {
  const path = usePath()
  if (!useMay('money')) return null
  return (
    <Button component={Link} to={path('payouts/new')} leftSection={<PlusIcon size={16} />}>
      New payout
    </Button>
  )
}
