import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { PayoutSummary } from '@tributary/contract/dashboard'
import { count, words } from '../../ui/format.ts'
import { Money, Status } from '../../ui/values.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import {
  CampaignFilter,
  ChoiceFilter,
  FilterBar,
  FixedFilter,
  SearchFilter,
} from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { offeredRails, payoutStatuses } from './payouts.search.ts'
import { RecentTestPayouts } from './recent-test-payouts.tsx'

const { fields, filters, payoutMethods } = sharedTexts

const filterNames = ['q', 'status', 'campaign_id', 'rail', 'is_recent'] as const

const columns: Column<PayoutSummary>[] = [
  {
    title: texts.columns.payout,
    cell: row => (
      <span style={{ whiteSpace: 'nowrap' }}>
        <PageLink to={`payouts/${row.id}`}>{texts.payout(row.id)}</PageLink>
      </span>
    ),
  },
  { title: fields.status, cell: row => <Status value={row.status} /> },
  {
    title: fields.campaign,
    cell: row => <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name}</PageLink>,
  },
  { title: texts.columns.method, cell: row => payoutMethods[row.rail] },
  { title: texts.columns.payments, align: 'right', cell: row => count(row.item_count) },
  {
    title: texts.columns.total,
    align: 'right',
    cell: row => <Money minor={row.total_minor} currency={row.currency} />,
  },
  { title: fields.created, sorts: true, cell: row => <When time={row.created_at} /> },
]

export function Payouts() {
  const { values, bind, used, clear } = useFilters('/$account/payouts')
  const path = usePath()
  const navigate = useNavigate()
  const query = {
    q: values.q?.slice(0, 100),
    status: values.status,
    campaign_id: values.campaign_id,
    rail: values.rail,
    is_recent: values.is_recent,
  }
  const isFiltered = used(filterNames) > 0
  return (
    <>
      <PageHead title={texts.title} note={texts.note}>
        <ExportLink route="exportPayouts" query={query} />
        <NewPayoutButton />
      </PageHead>
      <FixedFilter label={texts.recent} {...bind('is_recent')} />
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <SearchFilter {...bind('q')} hint={texts.searchHint} />
        <ChoiceFilter
          label={fields.status}
          {...bind('status')}
          options={payoutStatuses.map(value => ({ value, label: words(value) }))}
        />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter
          label={texts.columns.method}
          {...bind('rail')}
          options={offeredRails.map(value => ({ value, label: payoutMethods[value] }))}
        />
      </FilterBar>
      <DataTable
        route="listPayouts"
        label={texts.title}
        query={query}
        columns={columns}
        onRow={row => void navigate({ to: path(`payouts/${row.id}`) })}
        empty={
          isFiltered ? (
            <EmptyState title={texts.empty.filtered}>{filters.noMatch}</EmptyState>
          ) : (
            <EmptyState title={texts.empty.title} action={<NewPayoutButton />}>
              {texts.empty.text}
            </EmptyState>
          )
        }
      />
      {/* A test has no status, payout method or text to filter by. */}
      {!values.q && !values.status && !values.rail && !values.is_recent && (
        <RecentTestPayouts campaignId={values.campaign_id} />
      )}
    </>
  )
}

function NewPayoutButton() {
  const path = usePath()
  if (!useMay('money')) return null
  return (
    <Button component={Link} to={path('payouts/new')} leftSection={<PlusIcon size={16} />}>
      {texts.newPayout}
    </Button>
  )
}
