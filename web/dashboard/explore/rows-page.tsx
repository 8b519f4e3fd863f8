import { Box, Button, Group } from '@mantine/core'
import type { ListedClick, ListedSale } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { chosenSource } from '../shared/chosen-source.ts'
import type { Column } from '../shared/data-table.tsx'
import { createdBetween } from '../shared/days.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import {
  CampaignFilter,
  DayFilters,
  FilterBar,
  FixedFilter,
  SearchFilter,
  SourceFilter,
} from '../shared/list-filters.tsx'
import { AffiliateLink, PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { ExploreViews } from './explore-views.tsx'

const filterNames = ['q', 'affiliate_id', 'campaign_id', 'source', 'from', 'until'] as const

/** The page of a list of what Explore counts, with its filters. Its whole state is in the URL. */
export function RowsPage({
  shown,
  route,
  note,
  children,
}: {
  shown: 'sales' | 'clicks'
  route: 'exportSales' | 'exportClicks'
  note: string
  children: (query: ReturnType<typeof rowsQuery>, empty: ReactNode) => ReactNode
}) {
  const { values, bind, used, clear } = useFilters(`/$account/explore/${shown}`)
  const query = rowsQuery(values)
  const chosen = chosenSource(values)
  const clearFilters = () => clear([...filterNames, 'source_value'])
  return (
    <>
      <PageHead title={texts.title} note={note}>
        <ExportLink route={route} query={query} />
      </PageHead>
      <ExploreViews
        shown={shown}
        filters={{ campaign_id: values.campaign_id, affiliate_id: values.affiliate_id }}
      />
      <FixedFilter label={sharedTexts.filters.isCounted} {...bind('is_counted')} />
      {chosen && <SourceFilter {...chosen} onClear={() => clear(['source', 'source_value'])} />}
      <FilterBar used={used(filterNames)} onClear={clearFilters}>
        <SearchFilter {...bind('q')} hint={texts.rows.searchHint[shown]} />
        <AffiliatePicker {...bind('affiliate_id')} />
        <CampaignFilter {...bind('campaign_id')} />
        <DayFilters from={bind('from')} until={bind('until')} />
      </FilterBar>
      {children(
        query,
        <NoRows
          of={shown}
          onClear={used(filterNames) > 0 ? clearFilters : undefined}
          onSearchAll={used(['q']) > 0 && values.is_counted ? () => clear(['is_counted']) : undefined}
        />,
      )}
    </>
  )
}

const rowsQuery = (values: ReturnType<typeof useFilters<'/$account/explore/sales'>>['values']) => ({
  q: values.q,
  campaign_id: values.campaign_id,
  affiliate_id: values.affiliate_id,
  is_counted: values.is_counted,
  ...chosenSource(values),
  ...createdBetween(values),
})

type Row = ListedSale | ListedClick

export const affiliateColumn: Column<Row> = {
  title: sharedTexts.fields.affiliate,
  cell: ({ affiliate_id, affiliate_name, affiliate_email }) =>
    affiliate_id === null || affiliate_email === null ? (
      sharedTexts.states.none
    ) : (
      <Box miw={140} maw={230}>
        <AffiliateLink id={affiliate_id} name={affiliate_name} email={affiliate_email} />
      </Box>
    ),
}

export const campaignColumn: Column<Row> = {
  title: sharedTexts.fields.campaign,
  cell: ({ campaign_id, campaign_name }) =>
    campaign_id === null ? (
      sharedTexts.states.none
    ) : (
      <Box miw={110}>
        <PageLink to={`campaigns/${campaign_id}`}>{campaign_name}</PageLink>
      </Box>
    ),
}

function NoRows({
  of,
  onClear,
  onSearchAll,
}: {
  of: 'sales' | 'clicks'
  onClear: (() => void) | undefined
  /** Where only what reports count is searched. */
  onSearchAll: (() => void) | undefined
}) {
  const { empty, searchAll } = texts.rows
  if (onClear)
    return (
      <EmptyState
        title={empty.filtered[of]}
        action={
          <Group justify="center" gap="xs">
            {onSearchAll && <Button onClick={onSearchAll}>{searchAll[of]}</Button>}
            <Button variant="default" onClick={onClear}>
              {sharedTexts.filters.clear}
            </Button>
          </Group>
        }
      >
        {sharedTexts.filters.noMatch}
      </EmptyState>
    )
  return (
    <EmptyState
      title={empty[of].title}
      action={
        <Button component="a" href="/docs/tracking" variant="default">
          {empty.action}
        </Button>
      }
    >
      {empty[of].text}
    </EmptyState>
  )
}
