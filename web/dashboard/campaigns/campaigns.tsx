import { Button, Group, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ListedCampaign } from '@tributary/contract/dashboard'
import { count, money } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { ChoiceFilter, FilterBar, SearchFilter } from '../shared/list-filters.tsx'
import {
  DEFAULT_PERIOD,
  PeriodFilter,
  PeriodNote,
  performanceColumns,
} from '../shared/listed-performance.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { CampaignActions } from './campaign-actions.tsx'
import { RuleLines } from './campaign-rules.tsx'
import { texts } from './en.ts'

const filterNames = ['q', 'program_type', 'visibility', 'status'] as const
const { list } = texts

const columns: Column<ListedCampaign>[] = [
  {
    title: list.columns.campaign,
    cell: row => (
      // The actions are beside the name, where they are visible without scrolling.
      <Group wrap="nowrap" justify="space-between" gap="xs" miw={160}>
        <div>
          <PageLink to={`campaigns/${row.id}`}>{row.name}</PageLink>{' '}
          {row.status !== 'active' && <Status value={row.status} label={texts.statuses[row.status]} />}
          <Text size="xs" c="dimmed">
            {list.kind(row.program_type, row.visibility)}
          </Text>
        </div>
        <CampaignActions campaign={row} isIcon />
      </Group>
    ),
  },
  {
    title: list.columns.commission,
    cell: row => (
      <div style={{ minWidth: 140 }}>
        <RuleLines rules={row.rules} />
      </div>
    ),
  },
  {
    title: list.columns.affiliates,
    align: 'right',
    cell: row => `${count(row.enrolled)}${row.has_more_enrolled ? '+' : ''}`,
  },
  ...performanceColumns,
  {
    title: list.columns.attribution,
    hiddenOn: 'laptop',
    cell: row => (
      <>
        {texts.models[row.attribution_model]}
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {texts.window(row.attribution_window_days)}
        </Text>
      </>
    ),
  },
  {
    title: list.columns.payouts,
    hiddenOn: 'laptop',
    cell: row => (
      <>
        <span style={{ whiteSpace: 'nowrap' }}>{list.hold(row.hold_days)}</span>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {list.minimum(money(row.minimum_payout_minor, row.payout_currency))}
        </Text>
      </>
    ),
  },
  {
    title: list.columns.created,
    sorts: true,
    hiddenOn: 'small-laptop',
    cell: row => <When time={row.created_at} />,
  },
]

export function Campaigns() {
  const { values, set, bind, used, clear } = useFilters('/$account/campaigns')
  const path = usePath()
  const navigate = useNavigate()
  const mayChange = useMay('programme')
  const query = {
    q: values.q?.slice(0, 100),
    program_type: values.program_type,
    visibility: values.visibility,
    status: values.status,
    period: values.period ?? DEFAULT_PERIOD,
    sort: values.sort,
  }
  const create = (
    <Button component={Link} to={path('campaigns/new')} leftSection={<PlusIcon size={16} />}>
      {list.create}
    </Button>
  )
  return (
    <>
      <PageHead title={list.title} note={list.note}>
        <ExportLink route="exportCampaigns" query={query} />
        {mayChange && create}
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <SearchFilter {...bind('q')} hint={list.searchHint} />
        <ChoiceFilter label={list.columns.type} {...bind('program_type')} options={optionsOf(texts.types)} />
        <ChoiceFilter
          label={list.visibility}
          {...bind('visibility')}
          options={optionsOf(texts.visibilities)}
        />
        <ChoiceFilter
          label={list.status}
          placeholder={list.notArchived}
          {...bind('status')}
          options={optionsOf(texts.statuses)}
        />
        <PeriodFilter {...bind('period')} />
      </FilterBar>
      <DataTable
        route="listCampaigns"
        label={list.title}
        query={query}
        columns={columns}
        onSort={sort => set({ sort })}
        note={({ period, data }) => <PeriodNote period={period} sort={values.sort} rows={data} />}
        onRow={row => void navigate({ to: path(`campaigns/${row.id}`) })}
        empty={
          used(filterNames) > 0 ? (
            <EmptyState title={list.noMatch}>{shared.filters.noMatch}</EmptyState>
          ) : (
            <EmptyState title={list.empty} action={mayChange && create}>
              {list.emptyNote}
            </EmptyState>
          )
        }
      />
    </>
  )
}
