import { Skeleton, Text } from '@mantine/core'
import { count } from '../../ui/format.ts'
import { useCall } from './account.tsx'
import { texts } from './en.ts'
import { ExploredFigure, type Figure } from './explored-figure.tsx'
import { FactList } from './fact-list.tsx'
import * as figures from './figures.ts'
import { TextLink } from './links.tsx'
import { Section } from './section.tsx'
import { ErrorNotice } from './states.tsx'

const { metrics, performance, states } = texts

const shown: Figure[] = [
  { label: metrics.clicks, value: figures.clicks, list: 'clicks' },
  { label: metrics.conversions, value: sums => count(sums.conversions), list: 'referrals' },
  { label: metrics.conversionRate, value: figures.conversionRate },
  { label: metrics.revenue, value: figures.revenue, list: 'sales', amount: 'revenue' },
  { label: metrics.commissions, value: figures.commissions, list: 'commissions', amount: 'commissions' },
]

/** The last 30 days of a campaign or an affiliate, each figure with its value in the 30 days before. */
export function Performance({ of }: { of: { campaign_id: number } | { affiliate_id: number } }) {
  const explored = useCall('explore', { query: of })
  const { data } = explored
  const rowsIn = ({ from, to }: { from: string; to: string }) => ({ ...of, from, until: to })
  return (
    <Section title={performance.title}>
      {explored.isPending && <Skeleton height={150} role="status" aria-label={states.loading} />}
      {explored.isError && <ErrorNotice error={explored.error} retry={() => void explored.refetch()} />}
      {data && (
        <>
          <FactList
            facts={shown.map(figure => [
              figure.label,
              <span key={figure.label}>
                <ExploredFigure of={figure} sums={data.total.now} search={rowsIn(data)} />
                <Text span size="xs" c="dimmed" display="block">
                  <ExploredFigure
                    of={figure}
                    sums={data.total.before}
                    search={rowsIn(data.before)}
                    written={performance.before}
                  />
                </Text>
              </span>,
            ])}
          />
          <TextLink to="/$account/explore" search={of} size="sm" mt="sm" display="inline-block">
            {performance.explore}
          </TextLink>
        </>
      )}
    </Section>
  )
}
