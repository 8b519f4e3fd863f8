import { Button, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { CampaignSummary } from '@tributary/contract/dashboard'
import { count, words } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { ChoiceFilter, FilterBar } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { RulesInWords } from './campaign-rules.tsx'

const filterNames = ['program_type', 'visibility'] as const
const days = (number: number) => (number === 1 ? '1 day' : `${number} days`)

const columns: Column<CampaignSummary>[] = [
  {
    title: 'Campaign',
    cell: row => (
      <div style={{ minWidth: 140 }}>
        <PageLink to={`campaigns/${row.id}`}>{row.name}</PageLink>
        <Text size="xs" c="dimmed">
          {row.slug}
        </Text>
      </div>
    ),
  },
  {
    title: 'Type',
    cell: row => (
      <>
        {words(row.program_type)}
        <Text size="xs" c="dimmed">
          {words(row.visibility)}
        </Text>
      </>
    ),
  },
  {
    title: 'Pays',
    cell: row => (
      <div style={{ minWidth: 200 }}>
        <RulesInWords rules={row.rules} />
      </div>
    ),
  },
  { title: 'Hold', cell: row => (row.hold_days === 0 ? 'None' : days(row.hold_days)) },
  {
    title: 'Credit',
    cell: row => (
      <>
        {words(row.attribution_model)}
        <Text size="xs" c="dimmed">
          within {days(row.attribution_window_days)}
        </Text>
      </>
    ),
  },
  {
    title: 'Minimum payout',
    align: 'right',
    cell: row => <Money minor={row.minimum_payout_minor} currency={row.payout_currency} />,
  },
  {
    title: 'Enrolled',
    align: 'right',
    cell: row => `${count(row.enrolled)}${row.has_more_enrolled ? '+' : ''}`,
  },
  { title: 'Created', sorts: true, cell: row => <When time={row.created_at} /> },
]

export function Campaigns() {
  const { values, bind, used, clear } = useFilters('/$account/campaigns')
  const path = usePath()
  const navigate = useNavigate()
  const mayChange = useMay('programme')
  const query = {
    program_type: values.program_type,
    visibility: values.visibility,
  }
  const create = (
    <Button component={Link} to={path('campaigns/new')} leftSection={<PlusIcon size={16} />}>
      New campaign
    </Button>
  )
  return (
    <>
      <PageHead title="Campaigns" note="The terms under which affiliates promote you.">
        <ExportLink route="exportCampaigns" query={query} />
        {mayChange && create}
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <ChoiceFilter
          label="Type"
          {...bind('program_type')}
          options={[
            { value: 'affiliate', label: 'Affiliate' },
            { value: 'referral', label: 'Referral' },
          ]}
        />
        <ChoiceFilter
          label="Visibility"
          {...bind('visibility')}
          options={[
            { value: 'public', label: 'Public' },
            { value: 'private', label: 'Private' },
          ]}
        />
      </FilterBar>
      <DataTable
        route="listCampaigns"
        label="Campaigns"
        query={query}
        columns={columns}
        onRow={row => void navigate({ to: path(`campaigns/${row.id}`) })}
        empty={
          used(filterNames) > 0 ? (
            <EmptyState title="No campaign matches the filters">Clear some of them to see more.</EmptyState>
          ) : (
            <EmptyState title="No campaigns yet" action={mayChange && create}>
              A campaign says what a sale earns, who gets the credit, and when it is paid. Affiliates are
              enrolled in one.
            </EmptyState>
          )
        }
      />
    </>
  )
}
