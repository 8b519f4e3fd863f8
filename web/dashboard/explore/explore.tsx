import { Box, Button, Paper, Select, Skeleton, Stack, Text } from '@mantine/core'
import type { ExploreDimension, ExploredRow } from '@tributary/contract/dashboard'
import { presetOf, presets, rangeOf } from '@tributary/contract/dashboard/ranges'
import { Suspense } from 'react'
import { calendarDay } from '../../ui/format.ts'
import { later } from '../../ui/later.ts'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall } from '../shared/account.tsx'
import { dayOrNone } from '../shared/days.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { CampaignFilter, DayFilters, FilterBar, Wide } from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { ExploreFigures } from './explore-figures.tsx'
import { ExploreTable } from './explore-table.tsx'
import { ExploreViews } from './explore-views.tsx'
import { isTime } from './steps.ts'

// The chart library is large, so it is loaded separately and the metrics render first.
const ExploreCharts = later(async () => (await import('./explore-charts.tsx')).ExploreCharts)

const filters = ['from', 'to', 'compare', 'campaign_id', 'affiliate_id'] as const

/** Performance over any range, broken down by any dimension. Its whole state is in the URL. */
export function Explore() {
  const { values, set, bind, used, clear } = useFilters('/$account/explore')
  const { by = 'day', sort = 'commissions', compare = 'period', campaign_id, affiliate_id } = values
  const [from, to] = [dayOrNone(values.from), dayOrNone(values.to)]
  const explored = useCall(
    'explore',
    { query: { from, to, by, sort, compare, campaign_id, affiliate_id } },
    { keepsPrevious: true },
  )
  const { data } = explored
  const preset = data && (presetOf(data, data.today) ?? 'custom')
  /** A campaign leads to its affiliates, an affiliate to its days. */
  const filterBy: Partial<Record<ExploreDimension, (row: ExploredRow) => void>> = {
    campaign: ({ key }) => set({ campaign_id: Number(key), by: 'affiliate' }),
    affiliate: ({ key }) => set({ affiliate_id: Number(key), by: 'day' }),
  }
  return (
    <>
      <PageHead title={texts.title} note={data && texts.note(data.time_zone)}>
        <ExportLink route="exportExploration" query={{ from, to, by, sort, campaign_id, affiliate_id }} />
      </PageHead>
      <ExploreViews shown="performance" filters={{ campaign_id, affiliate_id }} />
      <FilterBar used={used(filters)} onClear={() => clear(filters)}>
        <Wide>
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
        </Wide>
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
          data={optionsOf(texts.by.options)}
          value={by}
          allowDeselect={false}
          onChange={value => set({ by: value as ExploreDimension })}
        />
        <CampaignFilter {...bind('campaign_id')} />
        {data?.has_money !== false && <AffiliatePicker {...bind('affiliate_id')} />}
      </FilterBar>
      {explored.isPending && (
        <Box aria-busy="true" role="status" aria-label={sharedTexts.states.loading}>
          <Skeleton height={104} mb="md" radius="md" />
          <Skeleton height={320} radius="md" />
        </Box>
      )}
      {explored.isError && <ErrorNotice error={explored.error} retry={() => void explored.refetch()} />}
      {data && (
        <Stack gap="md" style={{ opacity: explored.isPlaceholderData ? 0.6 : 1 }}>
          <ExploreFigures explored={data} />
          <Text size="sm" c="dimmed">
            {texts.compare.with(calendarDay(data.before.from), calendarDay(data.before.to))}
            {data.to >= data.today && ` ${texts.compare.unfinished}`}
            {data.total.now.converted && ` ${sharedTexts.reporting.note(data.total.now.converted.currency)}`}
            {!data.has_money && ` ${texts.sources}`}
          </Text>
          {isTime(data.by) && data.rows.length > 0 && (
            <Suspense fallback={<Skeleton height={340} radius="md" />}>
              <ExploreCharts explored={data} by={data.by} />
            </Suspense>
          )}
          {data.rows.length === 0 ? (
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
          ) : (
            <Paper withBorder p="md">
              <ExploreTable
                explored={data}
                sort={sort}
                filters={{ campaign_id, affiliate_id }}
                onSort={value => set({ sort: value })}
                onFilter={filterBy[data.by]}
              />
            </Paper>
          )}
        </Stack>
      )}
    </>
  )
}
