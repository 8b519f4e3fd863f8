import { Paper, Text } from '@mantine/core'
import type { Exploration, ExploredSums } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { ExploredAmount } from '../shared/converted-amount.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import * as figures from '../shared/figures.ts'
import { texts } from './en.ts'

const { metrics: names } = texts

/** The figures of the whole range, each with its value in the time it is compared with. */
export function ExploreFigures({ explored }: { explored: Exploration }) {
  const { total, active_affiliates: active } = explored
  const of = (label: string, value: (sums: ExploredSums) => string, amount?: figures.AmountName) => ({
    label,
    now: value(total.now),
    before: sharedTexts.performance.before(value(total.before)),
    amount,
  })
  // Sources aren't counted by affiliate.
  const affiliates = {
    label: names.activeAffiliates,
    now: active ? count(active.now) : names.none,
    before: active ? sharedTexts.performance.before(count(active.before)) : texts.notBySource,
    amount: undefined,
  }
  const shown = [
    of(names.clicks, figures.clicks),
    of(names.conversions, sums => count(sums.conversions)),
    of(names.conversionRate, figures.conversionRate),
    of(names.customers, sums => count(sums.customers)),
    of(names.revenue, figures.revenue, 'revenue'),
    of(names.averageOrder, figures.averageOrder),
    of(names.refundRate, figures.refundRate),
    of(names.commissions, figures.commissions, 'commissions'),
    of(names.commissionShare, figures.commissionShare),
    of(names.epc, figures.perClick),
    affiliates,
  ]
  return (
    <div className="metrics">
      {shown.map(({ label, now, before, amount }) => (
        <Paper key={label} withBorder p="sm" component="section" aria-label={label}>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <Text
            fz={now.length > 10 ? 16 : 20}
            lh="1.9rem"
            fw={650}
            style={{ fontVariantNumeric: 'tabular-nums' }}
          >
            {amount ? (
              <ExploredAmount sums={total.now} of={amount}>
                {now}
              </ExploredAmount>
            ) : (
              now
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {amount ? (
              <ExploredAmount sums={total.before} of={amount}>
                {before}
              </ExploredAmount>
            ) : (
              before
            )}
          </Text>
        </Paper>
      ))}
    </div>
  )
}
