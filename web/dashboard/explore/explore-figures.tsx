import { Paper, Text } from '@mantine/core'
import type { Exploration } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { count } from '../../ui/format.ts'
import type { CountedIn } from '../shared/counted-link.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExploredFigure, type Figure } from '../shared/explored-figure.tsx'
import * as figures from '../shared/figures.ts'
import { texts } from './en.ts'

const { metrics: names } = texts
const shown: Figure[] = [
  { label: names.clicks, value: figures.clicks, list: 'clicks' },
  { label: names.uniqueClicks, value: sums => count(sums.unique_clicks) },
  { label: names.conversions, value: sums => count(sums.conversions), list: 'referrals' },
  { label: names.conversionRate, value: figures.conversionRate },
  { label: names.customers, value: sums => count(sums.customers) },
  { label: names.revenue, value: figures.revenue, list: 'sales', amount: 'revenue' },
  { label: names.averageOrder, value: figures.averageOrder, basis: 'revenue' },
  { label: names.refundRate, value: figures.refundRate },
  { label: names.commissions, value: figures.commissions, list: 'commissions', amount: 'commissions' },
  { label: names.commissionShare, value: figures.commissionShare },
  { label: names.epc, value: figures.perClick, basis: 'commissions' },
]

/** Shown only if a page has reported any. */
const leads: Figure = { label: names.leads, value: sums => count(sums.leads) }

interface Props {
  explored: Exploration
  /** What the page is filtered by, if lists can be too. */
  filters: CountedIn | undefined
}

/** The figures of the whole range, each with its value in the time it is compared with, and both lead to their rows. */
export function ExploreFigures({ explored, filters }: Props) {
  const { total, before, active_affiliates: active } = explored
  const hasLeads = total.now.leads > 0 || total.before.leads > 0
  const rowsIn = ({ from, to }: { from: string; to: string }) => filters && { ...filters, from, until: to }
  return (
    <div className="metrics">
      {[...shown, ...(hasLeads ? [leads] : [])].map(figure => (
        <Card
          key={figure.label}
          label={figure.label}
          length={figure.value(total.now).length}
          now={<ExploredFigure of={figure} sums={total.now} search={rowsIn(explored)} />}
          before={
            <ExploredFigure
              of={figure}
              sums={total.before}
              search={rowsIn(before)}
              written={sharedTexts.performance.before}
            />
          }
        />
      ))}
      {/* Sources aren't counted by affiliate. */}
      <Card
        label={names.activeAffiliates}
        now={active ? count(active.now) : names.none}
        before={active ? sharedTexts.performance.before(count(active.before)) : texts.notBySource}
      />
    </div>
  )
}

const LONGEST_LARGE = 10

function Card({
  label,
  length = 0,
  now,
  before,
}: {
  label: string
  /** How long the value is: a longer one gets a smaller font. */
  length?: number
  now: ReactNode
  before: ReactNode
}) {
  return (
    <Paper withBorder p="sm" component="section" aria-label={label}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text
        component="div"
        fz={length > LONGEST_LARGE ? 16 : 20}
        lh="1.9rem"
        fw={650}
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {now}
      </Text>
      <Text component="div" size="xs" c="dimmed">
        {before}
      </Text>
    </Paper>
  )
}
