import { Box, Button, Paper, Select, Skeleton, Text } from '@mantine/core'
import type { ExploreDimension, ExploredRow } from '@tributary/contract/dashboard'
import {
  exploreSources,
  isCrossed,
  isExploreSource,
  OTHER,
} from '@tributary/contract/dashboard/explore-dimensions'
import { presetOf, presets, rangeOf } from '@tributary/contract/dashboard/ranges'
import { Suspense } from 'react'
import { calendarDay } from '../../ui/format.ts'
import { later } from '../../ui/later.ts'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall } from '../shared/account.tsx'
import { chosenSource } from '../shared/chosen-source.ts'
import { dayOrNone } from '../shared/days.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { CampaignFilter, DayFilters, FilterBar, SourceFilter } from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, ErrorNotice, PageHead, ShownUntilNext } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { ExploreFigures } from './explore-figures.tsx'
import { ExploreTable } from './explore-table.tsx'
import { ExploreViews } from './explore-views.tsx'
import { isTime } from './steps.ts'

// The chart library is large, so it is loaded separately and the metrics render first.
const ExploreCharts = later(async () => (await import('./explore-charts.tsx')).ExploreCharts)

const filters = ['from', 'to', 'compare', 'campaign_id', 'affiliate_id', 'source'] as const

/** Performance over any range, broken down by any dimension. Its whole state is in the URL. */
export function Explore() {
  const { values, set, bind, used, clear } = useFilters('/$account/explore')
  const { sort = 'commissions', compare = 'period', campaign_id, affiliate_id } = values
  const [from, to] = [dayOrNone(values.from), dayOrNone(values.to)]
  const chosen = chosenSource(values)
  const source = chosen?.source
  /** What is summed up as one is broken down by time and campaign. */
  const isKnown = (dimension: ExploreDimension) =>
    chosen?.source_value !== OTHER || isTime(dimension) || ['campaign', source].includes(dimension)
  const by = values.by && isKnown(values.by) ? values.by : 'day'
  const isOfSources = source !== undefined || isExploreSource(by)
  const query = { from, to, by, sort, campaign_id, affiliate_id, ...chosen }
  const explored = useCall('explore', { query: { ...query, compare } }, { keepsPrevious: true })
  const { data } = explored
  const preset = data && (presetOf(data, data.today) ?? 'custom')
  /** A campaign leads to its affiliates, an affiliate and a source to their days. */
  const filterBy: Partial<Record<ExploreDimension, (row: ExploredRow) => void>> = {
    campaign: ({ key }) => set({ campaign_id: Number(key), by: source ? 'day' : 'affiliate' }),
    affiliate: ({ key }) => set({ affiliate_id: Number(key), by: 'day' }),
    ...Object.fromEntries(
      exploreSources.map(each => [
        each,
        ({ key }: ExploredRow) => set({ source: each, source_value: key, by: 'day' }),
      ]),
    ),
  }
  return (
    <>
      <PageHead title={texts.title} note={data && texts.note(data.time_zone)}>
        <ExportLink route="exportExploration" query={query} />
      </PageHead>
      <ExploreViews shown="performance" filters={{ campaign_id, affiliate_id }} />
      <FilterBar used={used(filters)} onClear={() => clear([...filters, 'source_value'])}>
        <Select
          label={sharedTexts.ranges.label}
          data={[
            ...presets.map(value => ({ value, label: sharedTexts.ranges.presets[value] })),
            ...(preset === 'custom' ? [{ value: 'custom', label: sharedTexts.ranges.custom }] : []),
          ]}
          value={preset ?? null}
          allowDeselect={false}
          onChange={chosen => {
            const named = presets.find(each => each === chosen)
            if (named && data) set(rangeOf(named, data.today))
          }}
        />
        <DayFilters
          from={{ ...bind('from'), value: values.from ?? data?.from }}
          until={{ ...bind('to'), value: values.to ?? data?.to }}
        />
        <Select
          label={texts.compare.label}
          data={optionsOf(texts.compare.options)}
          value={compare}
          allowDeselect={false}
          onChange={value => set({ compare: value === 'year' ? 'year' : undefined })}
        />
        <Select
          label={texts.by.label}
          data={optionsOf(texts.by.options).map(each => ({ ...each, disabled: !isKnown(each.value) }))}
          value={by}
          allowDeselect={false}
          onChange={value => set({ by: value as ExploreDimension })}
        />
        <CampaignFilter {...bind('campaign_id')} />
        <AffiliatePicker {...bind('affiliate_id')} />
      </FilterBar>
      {chosen && (
        <SourceFilter
          {...chosen}
          label={data?.source_label}
          onClear={() => set({ source: undefined, source_value: undefined })}
        />
      )}
      {explored.isPending && (
        <Box aria-busy="true" role="status" aria-label={sharedTexts.states.loading}>
          <Skeleton height={104} mb="md" radius="md" />
          <Skeleton height={320} radius="md" />
        </Box>
      )}
      {explored.isError && <ErrorNotice error={explored.error} retry={() => void explored.refetch()} />}
      {data && (
        <ShownUntilNext isPast={explored.isPlaceholderData}>
          <ExploreFigures
            explored={data}
            filters={
              explored.isPlaceholderData || chosen?.source_value === OTHER
                ? undefined
                : { campaign_id, affiliate_id, ...chosen }
            }
          />
          <Text size="sm" c="dimmed">
            {texts.compare.with(calendarDay(data.before.from), calendarDay(data.before.to))}
            {data.to >= data.today && ` ${texts.compare.unfinished}`}
            {data.total.now.converted && ` ${sharedTexts.reporting.note(data.total.now.converted.currency)}`}
            {isOfSources && ` ${texts.sources(isCrossed(data.by, { affiliateId: affiliate_id, source }))}`}
          </Text>
          {isTime(data.by) && data.rows.length > 0 && (
            <Suspense fallback={<Skeleton height={340} radius="md" />}>
              <ExploreCharts explored={data} by={data.by} />
            </Suspense>
          )}
          {data.rows.length === 0 ? (
            <Paper withBorder>
              <EmptyState
                title={texts.empty}
                action={
                  preset !== 'last365' && (
                    <Button variant="default" onClick={() => set(rangeOf('last365', data.today))}>
                      {texts.emptyAction}
                    </Button>
                  )
                }
              >
                {texts.emptyNote}
              </EmptyState>
            </Paper>
          ) : (
            <Paper withBorder p="md">
              <ExploreTable
                explored={data}
                sort={sort}
                filters={{ campaign_id, affiliate_id, ...chosen }}
                isPast={explored.isPlaceholderData}
                onSort={value => set({ sort: value })}
                onFilter={filterBy[data.by]}
              />
            </Paper>
          )}
        </ShownUntilNext>
      )}
    </>
  )
}
