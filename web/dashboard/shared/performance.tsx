import { Skeleton, Text } from '@mantine/core'
import type { ExploredSums } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { useCall } from './account.tsx'
import { ExploredAmount } from './converted-amount.tsx'
import { texts } from './en.ts'
import { FactList } from './fact-list.tsx'
import * as figures from './figures.ts'
import { TextLink } from './links.tsx'
import { Section } from './section.tsx'
import { ErrorNotice } from './states.tsx'

const { metrics, performance, states } = texts

const shown: [label: string, value: (sums: ExploredSums) => string, amount?: figures.AmountName][] = [
  [metrics.clicks, figures.clicks],
  [metrics.conversions, sums => count(sums.conversions)],
  [metrics.conversionRate, figures.conversionRate],
  [metrics.revenue, figures.revenue, 'revenue'],
  [metrics.commissions, figures.commissions, 'commissions'],
]

/** The last 30 days of a campaign or an affiliate, each figure with its value in the 30 days before. */
export function Performance({ of }: { of: { campaign_id: number } | { affiliate_id: number } }) {
  const explored = useCall('explore', { query: of })
  const total = explored.data?.total
  return (
    <Section title={performance.title}>
      {explored.isPending && <Skeleton height={150} role="status" aria-label={states.loading} />}
      {explored.isError && <ErrorNotice error={explored.error} retry={() => void explored.refetch()} />}
      {total && (
        <>
          <FactList
            facts={shown.map(([label, value, amount]) => [
              label,
              <span key={label}>
                {amount ? (
                  <ExploredAmount sums={total.now} of={amount}>
                    {value(total.now)}
                  </ExploredAmount>
                ) : (
                  value(total.now)
                )}
                <Text span size="xs" c="dimmed" display="block">
                  {performance.before(value(total.before))}
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
