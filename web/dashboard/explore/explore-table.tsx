import { Anchor, ScrollArea, Table, Text, UnstyledButton } from '@mantine/core'
import type {
  Exploration,
  ExploreDimension,
  ExploredRow,
  ExploredSums,
  ExploreSort,
} from '@tributary/contract/dashboard'
import { calendarDay, count } from '../../ui/format.ts'
import { texts } from './en.ts'
import * as figures from './figures.ts'

interface Column {
  label: string
  value: (sums: ExploredSums) => string
  /** The order that a click on its head asks for. */
  sort?: ExploreSort
  /** Whether it is known where visitors came from. */
  isOfSources?: true
}

const { metrics: names } = texts
const columns: Column[] = [
  { label: names.clicks, value: figures.clicks, sort: 'clicks', isOfSources: true },
  {
    label: names.conversions,
    value: sums => count(sums.conversions),
    sort: 'conversions',
    isOfSources: true,
  },
  { label: names.conversionRate, value: figures.conversionRate, isOfSources: true },
  { label: names.customers, value: sums => count(sums.customers), sort: 'customers' },
  { label: names.revenue, value: figures.revenue, sort: 'revenue' },
  { label: names.commissions, value: figures.commissions, sort: 'commissions' },
  { label: names.epc, value: figures.perClick },
]

interface Props {
  explored: Exploration
  by: ExploreDimension
  sort: ExploreSort
  onSort: (sort: ExploreSort) => void
  /** Filters by a row; without it, rows can't be filtered by. */
  onFilter?: ((row: ExploredRow) => void) | undefined
}

const isTime = (by: ExploreDimension) => by === 'day' || by === 'week' || by === 'month'

/** A step of time by its name; the one that isn't over is marked. */
function stepName(key: string, by: ExploreDimension, { today, to }: Exploration, isLast: boolean): string {
  const name =
    by === 'month'
      ? calendarDay(key, { month: 'long', year: 'numeric' })
      : by === 'week'
        ? texts.weekOf(calendarDay(key))
        : calendarDay(key)
  const isOpen = isLast && to >= today && (by === 'day' ? key === today : true)
  return isOpen ? texts.soFar(name) : name
}

export function ExploreTable({ explored, by, sort, onSort, onFilter }: Props) {
  const shown = columns.filter(({ isOfSources }) => explored.has_money || isOfSources)
  const canSort = !isTime(by)
  const cells = (sums: ExploredSums) =>
    shown.map(({ label, value }) => (
      <Table.Td key={label} ta="right" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value(sums)}
      </Table.Td>
    ))
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
      <Table aria-label={texts.title} miw={explored.has_money ? 820 : 420} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.by.options[by]}</Table.Th>
            {shown.map(({ label, sort: own }) => (
              <Table.Th key={label} ta="right" aria-sort={canSort && own === sort ? 'descending' : undefined}>
                {canSort && own ? (
                  <UnstyledButton fz="inherit" fw="inherit" ta="right" onClick={() => onSort(own)}>
                    {label}
                    {own === sort && ' ↓'}
                  </UnstyledButton>
                ) : (
                  label
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {explored.rows.map((row, index) => {
            const label = isTime(by)
              ? stepName(row.key, by, explored, index === explored.rows.length - 1)
              : row.label
            return (
              <Table.Tr key={row.key}>
                <Table.Th scope="row" fw={400} style={{ overflowWrap: 'anywhere' }}>
                  {onFilter ? (
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
                {cells(row.now)}
              </Table.Tr>
            )
          })}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">{texts.total}</Table.Th>
            {cells(explored.total.now)}
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
