import { Anchor, ScrollArea, Table, Text, UnstyledButton } from '@mantine/core'
import type { Exploration, ExploredRow, ExploredSums, ExploreSort } from '@tributary/contract/dashboard'
import { isExploreSource, OTHER } from '@tributary/contract/dashboard/explore-dimensions'
import { count } from '../../ui/format.ts'
import type { CountedIn } from '../shared/counted-link.tsx'
import { hiddenClass } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExploredFigure, type Figure } from '../shared/explored-figure.tsx'
import * as figures from '../shared/figures.ts'
import { texts } from './en.ts'
import { rowName } from './row-name.ts'
import { daysOf, isTime } from './steps.ts'

/** The page has one range of days. */
type Filters = Omit<CountedIn, 'from' | 'until'>

interface Column extends Figure {
  /** The order that a click on its head asks for. */
  sort?: ExploreSort
  /** Where it would cut the table. A phone scrolls. */
  hiddenOn?: 'small-laptop' | 'laptop'
}

const { metrics: names } = texts
const columns: Column[] = [
  { label: names.clicks, value: figures.clicks, sort: 'clicks', list: 'clicks' },
  { label: names.uniqueClicks, value: sums => count(sums.unique_clicks), hiddenOn: 'laptop' },
  {
    label: names.conversions,
    value: sums => count(sums.conversions),
    sort: 'conversions',
    list: 'referrals',
  },
  { label: names.conversionRate, value: figures.conversionRate, sort: 'conversion_rate' },
  { label: names.customers, value: sums => count(sums.customers), sort: 'customers' },
  { label: names.revenue, value: figures.revenue, sort: 'revenue', list: 'sales', amount: 'revenue' },
  { label: names.averageOrder, value: figures.averageOrder, basis: 'revenue', hiddenOn: 'small-laptop' },
  { label: names.refundRate, value: figures.refundRate, hiddenOn: 'small-laptop' },
  {
    label: names.commissions,
    value: figures.commissions,
    sort: 'commissions',
    list: 'commissions',
    amount: 'commissions',
  },
  { label: names.commissionShare, value: figures.commissionShare, hiddenOn: 'small-laptop' },
  { label: names.epc, value: figures.perClick, sort: 'commission_per_click', basis: 'commissions' },
]

interface Props {
  explored: Exploration
  sort: ExploreSort
  /** What the page is filtered by. */
  filters: Filters
  /** Until the response for these filters is in, the rows are those of others. */
  isPast: boolean
  onSort: (sort: ExploreSort) => void
  /** Filters by a row; without it, rows can't be filtered by. */
  onFilter?: ((row: ExploredRow) => void) | undefined
}

/** Whether lists can be filtered by it: not by the sources that are summed up as one, nor by two of them. */
const isListed = (key: string | undefined, { by }: Exploration, { source, source_value }: Filters) =>
  key !== OTHER &&
  source_value !== OTHER &&
  (key === undefined || source === undefined || !isExploreSource(by) || by === source)

/** The filters of the lists that hold what a row or the total counts, if they can have them. */
function rowsOf(key: string | undefined, explored: Exploration, filters: Filters): CountedIn | undefined {
  if (!isListed(key, explored, filters)) return undefined
  const { by } = explored
  const { from, to } = key !== undefined && isTime(by) ? daysOf(key, by, explored) : explored
  const own =
    key === undefined || isTime(by)
      ? {}
      : isExploreSource(by)
        ? { source: by, source_value: key }
        : { [`${by}_id`]: Number(key) }
  return { ...filters, ...own, from, until: to }
}

/** Whether the page can be filtered by a row: the rest of an affiliate's sources is not the rest of all. */
const canFilter = ({ key }: ExploredRow, { affiliate_id, source }: Filters) =>
  key !== OTHER || (affiliate_id === undefined && source === undefined)

export function ExploreTable({ explored, sort, filters, isPast, onSort, onFilter }: Props) {
  // Until the next response, this one is shown by its own dimension.
  const { by } = explored
  const canSort = !isTime(by)
  const cells = (sums: ExploredSums, key?: string, before: ExploredSums | null = null) =>
    columns.map(column => {
      const { label, value, sort: own } = column
      return (
        <Table.Td
          key={label}
          ta="right"
          style={{ fontVariantNumeric: 'tabular-nums' }}
          className={hiddenClass(column)}
        >
          <ExploredFigure
            of={column}
            sums={sums}
            search={isPast ? undefined : rowsOf(key, explored, filters)}
          />
          {before && canSort && own === sort && (
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              {sharedTexts.performance.before(value(before))}
            </Text>
          )}
        </Table.Td>
      )
    })
  return (
    <ScrollArea type="auto" offsetScrollbars="x" viewportProps={{ tabIndex: 0 }}>
      <Table aria-label={texts.title} miw={740} horizontalSpacing={6} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.by.options[by]}</Table.Th>
            {columns.map(column => {
              const { label, sort: own } = column
              const isSorted = canSort && own === sort
              return (
                <Table.Th
                  key={label}
                  ta="right"
                  aria-sort={isSorted ? 'descending' : undefined}
                  className={hiddenClass(column)}
                >
                  {canSort && own ? (
                    <UnstyledButton fz="inherit" fw="inherit" ta="right" onClick={() => onSort(own)}>
                      {label}
                      {isSorted && ' ↓'}
                    </UnstyledButton>
                  ) : (
                    label
                  )}
                </Table.Th>
              )
            })}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {explored.rows.map(row => {
            const label = rowName(row, explored)
            return (
              <Table.Tr key={row.key}>
                <Table.Th
                  scope="row"
                  fw={400}
                  miw={isTime(by) ? undefined : 170}
                  style={isTime(by) ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }}
                >
                  {onFilter && canFilter(row, filters) ? (
                    <Anchor
                      component="button"
                      type="button"
                      inherit
                      ta="left"
                      title={texts.filterBy(label)}
                      onClick={() => onFilter(row)}
                    >
                      {label}
                    </Anchor>
                  ) : (
                    label
                  )}
                </Table.Th>
                {cells(row.now, row.key, row.before)}
              </Table.Tr>
            )
          })}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr style={{ borderTop: '1px solid var(--table-border-color)', borderBottom: 0 }}>
            <Table.Th scope="row">{texts.total}</Table.Th>
            {cells(explored.total.now, undefined, explored.total.before)}
          </Table.Tr>
        </Table.Tfoot>
      </Table>
      {explored.left_out > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.leftOut(explored.left_out)}
        </Text>
      )}
    </ScrollArea>
  )
}
