import { Box, Grid, Input, Paper, SegmentedControl, Skeleton } from '@mantine/core'
import type { OverviewPeriod } from '@tributary/contract/dashboard'
import { Suspense } from 'react'
import { later } from '../../ui/later.ts'
import { useCall } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { TextLink } from '../shared/links.tsx'
import { CampaignFilter } from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { ErrorNotice, PageHead, ShownUntilNext } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { GetStarted } from './get-started.tsx'
import { periodOf } from './metrics.ts'
import { NeedsAttention } from './needs-attention.tsx'
import { OverviewMetrics } from './overview-metrics.tsx'
import { TopAffiliates } from './top-affiliates.tsx'

// The chart library is large, so it is loaded separately and the metrics render first.
const charts = () => import('./overview-charts.tsx')
const MoneyChart = later(async () => (await charts()).MoneyChart)
const TrafficChart = later(async () => (await charts()).TrafficChart)

const REFRESH_MS = 60_000

const labels: Record<`${OverviewPeriod}`, string> = texts.period.options

export function Overview() {
  const { values, set, bind } = useFilters('/$account/overview')
  const { days = '30', campaign_id: campaignId } = values
  const overview = useCall(
    'getOverview',
    {
      query: {
        days: Number(days) as OverviewPeriod,
        ...(campaignId !== undefined && { campaign_id: campaignId }),
      },
    },
    { keepsPrevious: true, refetchInterval: REFRESH_MS },
  )
  const { data } = overview
  // Until the response for another campaign is in, the numbers are those of the one before.
  const period = data && !overview.isPlaceholderData ? periodOf(data) : undefined
  const rows = period && { ...period, campaign_id: campaignId }
  const checklist = useCall('getChecklist').data
  const isNew = data !== undefined && !data.first_steps.conversion
  const hasMetrics = data !== undefined && (!isNew || data.clicks.now > 0)
  return (
    <>
      <PageHead
        title={texts.title}
        note={
          hasMetrics &&
          [texts.note(data.time_zone), data.converted && sharedTexts.reporting.note(data.converted.currency)]
            .filter(Boolean)
            .join(' ')
        }
      >
        {hasMetrics && <CampaignFilter {...bind('campaign_id')} />}
        {(data === undefined || hasMetrics) && (
          <Input.Wrapper label={texts.period.label} labelElement="div">
            <SegmentedControl
              aria-label={texts.period.label}
              display="flex"
              data={optionsOf(labels)}
              value={days}
              onChange={value => set({ days: value === '30' ? undefined : value })}
            />
          </Input.Wrapper>
        )}
      </PageHead>
      {overview.isPending && <OverviewSkeleton />}
      {overview.isError && <ErrorNotice error={overview.error} retry={() => void overview.refetch()} />}
      {data && (
        <ShownUntilNext isPast={overview.isPlaceholderData}>
          {checklist?.is_shown && <GetStarted first={checklist} />}
          {hasMetrics && (
            <>
              <OverviewMetrics overview={data} days={Number(days)} rows={rows} />
              <Grid gap="md">
                <Grid.Col span={{ base: 12, md: 8 }}>
                  <Suspense fallback={<ChartSkeleton />}>
                    <MoneyChart overview={data} />
                  </Suspense>
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 4 }}>
                  <NeedsAttention waiting={data.waiting} />
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 8 }}>
                  <Suspense fallback={<ChartSkeleton />}>
                    <TrafficChart overview={data} />
                  </Suspense>
                </Grid.Col>
                <Grid.Col span={{ base: 12, md: 4 }}>
                  <TopAffiliates
                    affiliates={data.top_affiliates}
                    currency={data.converted?.currency ?? data.commissions[0]?.currency}
                    rows={rows}
                  />
                </Grid.Col>
              </Grid>
              <TextLink
                to="/$account/explore"
                search={{ from: period?.from, to: period?.until, campaign_id: campaignId }}
                size="sm"
              >
                {texts.explore}
              </TextLink>
            </>
          )}
        </ShownUntilNext>
      )}
    </>
  )
}

const ChartSkeleton = () => <Skeleton height={340} radius="md" />

function OverviewSkeleton() {
  return (
    <Box aria-busy="true" role="status" aria-label={sharedTexts.states.loading}>
      <Skeleton height={104} mb="md" radius="md" />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <ChartSkeleton />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Paper withBorder p="md" h="100%">
            {[1, 2, 3, 4, 5].map(line => (
              <Skeleton key={line} height={20} my={14} />
            ))}
          </Paper>
        </Grid.Col>
      </Grid>
    </Box>
  )
}
