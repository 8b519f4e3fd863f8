import { Button, Paper, SegmentedControl, Select, Skeleton, Text } from '@mantine/core'
import type { Cohorts } from '@tributary/contract/dashboard'
import { cohortMonths, cohortViews } from '@tributary/contract/dashboard/explore-dimensions'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { CampaignFilter, FilterBar, Wide } from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, ErrorNotice, PageHead, ShownUntilNext } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { CohortTable } from './cohort-table.tsx'
import { texts } from './en.ts'
import { monthChoices } from './explore.search.ts'
import { ExploreViews } from './explore-views.tsx'

const { cohorts: labels } = texts
const LONGEST = 36
const filters = ['months', 'campaign_id', 'affiliate_id'] as const

/** What the amounts are in, and what is not in them. */
const amountsNote = ({ currency, is_converted, left_out }: Cohorts) =>
  [
    is_converted && currency && labels.converted(currency),
    left_out.length > 0 && (is_converted ? labels.withoutRate(left_out) : labels.leftOut(left_out)),
  ]
    .filter(Boolean)
    .map(note => ` ${note}`)
    .join('')

/** Lifetime value by the month of the first sale. Its whole state is in the URL. */
export function CohortsPage() {
  const { values, set, bind, used, clear } = useFilters('/$account/explore/cohorts')
  const { campaign_id, affiliate_id, view = 'value' } = values
  const months = cohortMonths.find(each => String(each) === values.months) ?? 12
  const query = { months, campaign_id, affiliate_id }
  const cohorts = useCall('getCohorts', { query }, { keepsPrevious: true })
  const { data } = cohorts
  return (
    <>
      <PageHead title={texts.title} note={data && texts.note(data.time_zone)}>
        <ExportLink route="downloadCohorts" query={query} />
      </PageHead>
      <ExploreViews shown="cohorts" filters={{ campaign_id, affiliate_id }} />
      <FilterBar used={used(filters)} onClear={() => clear(filters)}>
        <Wide>
          <Select
            label={labels.months.label}
            data={cohortMonths.map(each => ({ value: String(each), label: labels.months.option(each) }))}
            value={String(months)}
            allowDeselect={false}
            onChange={value => set({ months: monthChoices.find(each => each === value) })}
          />
        </Wide>
        <CampaignFilter {...bind('campaign_id')} />
        <AffiliatePicker {...bind('affiliate_id')} />
      </FilterBar>
      {cohorts.isPending && (
        <Skeleton height={320} radius="md" role="status" aria-label={sharedTexts.states.loading} />
      )}
      {cohorts.isError && <ErrorNotice error={cohorts.error} retry={() => void cohorts.refetch()} />}
      {data && data.data.length === 0 && (
        <Paper withBorder>
          <EmptyState
            title={texts.empty}
            action={
              months !== LONGEST && (
                <Button variant="default" onClick={() => set({ months: `${LONGEST}` })}>
                  {labels.emptyAction(LONGEST)}
                </Button>
              )
            }
          >
            {labels.emptyNote}
          </EmptyState>
        </Paper>
      )}
      {data && data.data.length > 0 && (
        <ShownUntilNext isPast={cohorts.isPlaceholderData}>
          <SegmentedControl
            aria-label={labels.view}
            style={{ alignSelf: 'flex-start' }}
            data={optionsOf(labels.views)}
            value={view}
            onChange={value => set({ view: cohortViews.find(each => each === value) })}
          />
          <Paper withBorder p="md">
            <CohortTable cohorts={data} view={view} />
            <Text size="sm" c="dimmed" mt="sm">
              {labels.note[view]} {labels.unfinishedNote}
              {view === 'value' && amountsNote(data)}
            </Text>
          </Paper>
        </ShownUntilNext>
      )}
    </>
  )
}
