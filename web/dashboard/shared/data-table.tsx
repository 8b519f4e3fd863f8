import {
  Box,
  Button,
  Checkbox,
  Group,
  Loader,
  Paper,
  Skeleton,
  Table,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DashboardQuery, DashboardResult, ListSort, Page } from '@tributary/contract/dashboard'
import type { DashboardRouteId } from '@tributary/contract/dashboard/routes'
import { type ReactNode, useEffect, useState } from 'react'
import { useAccount } from './account.tsx'
import { type CallInput, call } from './api.ts'
import { texts } from './en.ts'
import { SortIcon } from './icons.tsx'
import { isSameSearch, queryKeys } from './query-keys.ts'
import { EmptyState, ErrorNotice } from './states.tsx'
import { useFilters } from './use-filters.ts'

/** The routes that return a page of rows. */
export type ListRoute = {
  [Id in DashboardRouteId]: DashboardResult<Id> extends Page<{ id: number }> ? Id : never
}[DashboardRouteId]
type RowOf<Id extends ListRoute> = DashboardResult<Id> extends Page<infer Row> ? Row : never

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** The screens on which it is left out because it would cut the table. A phone scrolls; what must not be missed there is in another column. */
  hiddenOn?: 'phone' | 'small-laptop' | 'laptop'
  /** Toggles the order of the list: newest or oldest first. */
  sorts?: boolean
  /** The order that a click on its head sets: by its figure, largest first. */
  sort?: ListSort
}

interface Props<Id extends ListRoute> {
  route: Id
  /** Names the table for screen readers. */
  label: string
  query?: Omit<DashboardQuery<Id>, 'after' | 'limit' | 'order'> & { sort?: ListSort | undefined }
  /** Sorts by a figure, or by date again. */
  onSort?: (sort: ListSort | undefined) => void
  /** A note on the figures, from the first page. */
  note?: (page: DashboardResult<Id>) => ReactNode
  id?: number
  columns: Column<RowOf<Id>>[]
  empty: ReactNode
  onRow?: (row: RowOf<Id>) => void
  /** Actions on the selected rows. */
  bulk?: (ids: number[], clear: () => void, rows: RowOf<Id>[]) => ReactNode
  refetchInterval?: number | false
}

/** How many requests in a row that find nothing are followed by another one without a click. */
const MOST_SEARCHED = 10

const isSearchedInVain = ({ data, next }: Page<{ id: number }>) => data.length === 0 && next !== null

const emptyAtEnd = (pages: Page<{ id: number }>[]) =>
  pages.length - 1 - pages.findLastIndex(page => !isSearchedInVain(page))

/** A list of any length: pages are fetched on demand by keyset, so a million rows stay fast. */
export function DataTable<Id extends ListRoute>(props: Props<Id>) {
  const { route, label, query, id, columns, empty, onRow, bulk, onSort, note } = props
  const account = useAccount()
  const filters = useFilters('/$account')
  const order = filters.values.order ?? 'newest'
  const [selected, setSelected] = useState<Set<number>>(new Set())
  const key = queryKeys.list(account.id, route, { id, query, order })
  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => {
      const input = { id, query: { ...query, order, after: pageParam ?? undefined } }
      return call(account.id, route, input as CallInput<Id>) as unknown as Promise<
        Page<RowOf<Id> & { id: number }>
      >
    },
    initialPageParam: null as number | null,
    getNextPageParam: page => page.next,
    refetchInterval: props.refetchInterval ?? false,
    // A search of many requests isn't repeated for a look at another window.
    refetchOnWindowFocus: ({ state }) => !state.data?.pages.some(isSearchedInVain),
    // While a search is typed, its rows stay until the next ones are in.
    placeholderData: (before, query) => (query && isSameSearch(query.queryKey, key) ? before : undefined),
  })
  const rows = pages.data?.pages.flatMap(page => page.data) ?? []
  // A request looks at a bounded number of rows: if it found none among them, the search goes on, up to a number of requests.
  const { hasNextPage, isFetching, fetchNextPage } = pages
  const goesOn = hasNextPage && !pages.isError && emptyAtEnd(pages.data?.pages ?? []) % MOST_SEARCHED !== 0
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage()
  }, [goesOn, isFetching, fetchNextPage])
  // A selected row that the current filters no longer show is left out of bulk actions.
  const chosen = rows.filter(row => selected.has(row.id))
  const clear = () => setSelected(new Set())
  const toggle = (rowId: number) =>
    setSelected(before => {
      const after = new Set(before)
      if (!after.delete(rowId)) after.add(rowId)
      return after
    })

  if (pages.isPending || (rows.length === 0 && goesOn)) return <TableSkeleton />
  if (pages.isError) return <ErrorNotice error={pages.error} retry={() => void pages.refetch()} />
  const nextPage = (label: string) => (
    <Button variant="default" onClick={() => void fetchNextPage()} loading={pages.isFetchingNextPage}>
      {label}
    </Button>
  )
  const firstNote = note && pages.data.pages[0] && (
    <Text size="sm" c="dimmed" mt="xs">
      {note(pages.data.pages[0] as unknown as DashboardResult<Id>)}
    </Text>
  )
  if (rows.length === 0)
    return (
      <>
        <Paper withBorder>
          {hasNextPage ? (
            <EmptyState title={texts.table.noneSoFar} action={nextPage(texts.table.searchFurther)}>
              {texts.table.noneSoFarText}
            </EmptyState>
          ) : (
            empty
          )}
        </Paper>
        {firstNote}
      </>
    )
  return (
    <>
      {bulk && (
        <Group mih={36} mb="xs" gap="xs" role="status">
          <Text size="sm" c="dimmed">
            {chosen.length === 0 ? texts.table.bulkHint : texts.table.selected(chosen.length)}
          </Text>
          {chosen.length > 0 &&
            bulk(
              chosen.map(row => row.id),
              clear,
              chosen,
            )}
        </Group>
      )}
      <Paper
        withBorder
        aria-busy={pages.isPlaceholderData}
        style={{ overflow: 'hidden', opacity: pages.isPlaceholderData ? 0.6 : undefined }}
      >
        <Table.ScrollContainer minWidth={560}>
          <Table highlightOnHover={onRow !== undefined} aria-label={label}>
            <Table.Thead>
              <Table.Tr>
                {bulk && (
                  <Table.Th w={40}>
                    <Checkbox
                      aria-label={texts.table.selectAll}
                      checked={chosen.length === rows.length}
                      indeterminate={chosen.length > 0 && chosen.length < rows.length}
                      onChange={event =>
                        setSelected(new Set(event.currentTarget.checked ? rows.map(row => row.id) : []))
                      }
                    />
                  </Table.Th>
                )}
                {columns.map(column => (
                  <ColumnHead
                    key={column.title}
                    column={column}
                    order={query?.sort ?? order}
                    onOrder={value => filters.set({ order: value })}
                    onSort={onSort}
                  />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(row => (
                <Table.Tr
                  key={row.id}
                  style={onRow ? { cursor: 'pointer' } : undefined}
                  onClick={
                    onRow &&
                    (event => {
                      // A link or a button inside the row handles its own click.
                      if (!(event.target as Element).closest('a, button, input, label')) onRow(row)
                    })
                  }
                >
                  {bulk && (
                    <Table.Td>
                      <Checkbox
                        aria-label={texts.table.selectRow(row.id)}
                        checked={selected.has(row.id)}
                        onChange={() => toggle(row.id)}
                      />
                    </Table.Td>
                  )}
                  {columns.map(column => (
                    <Table.Td key={column.title} ta={column.align} className={hiddenClass(column)}>
                      {column.cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {firstNote}
      <Box mt="sm" ta="center">
        {hasNextPage ? (
          nextPage(texts.table.showMore)
        ) : (
          <Text size="sm" c="dimmed">
            {texts.table.results(rows.length)} {pages.isFetching && <Loader size={12} />}
          </Text>
        )}
      </Box>
    </>
  )
}

export const hiddenClass = ({ hiddenOn }: Pick<Column<never>, 'hiddenOn'>) =>
  hiddenOn && `hidden-on-${hiddenOn}`

/** Keeps the sign of the order beside the title's last word. */
const NO_BREAK = '\u00a0'

/** A column's title, a button if the list can be sorted by it. A second click on a figure sorts by date again. */
function ColumnHead<Row>({
  column: { title, align, sorts, sort, hiddenOn },
  order,
  onOrder,
  onSort,
}: {
  column: Column<Row>
  order: 'newest' | 'oldest' | ListSort
  onOrder: (order: 'oldest' | undefined) => void
  onSort: ((sort: ListSort | undefined) => void) | undefined
}) {
  const isByDate = order === 'newest' || order === 'oldest'
  const isSorted = sort ? order === sort : sorts && isByDate
  const click = sort
    ? () => onSort?.(isSorted ? undefined : sort)
    : () => (isByDate ? onOrder(order === 'oldest' ? undefined : 'oldest') : onSort?.(undefined))
  return (
    <Table.Th
      ta={align}
      className={hiddenClass({ hiddenOn })}
      aria-sort={isSorted ? (order === 'oldest' ? 'ascending' : 'descending') : undefined}
    >
      {sort || sorts ? (
        <UnstyledButton fw={700} fz="sm" ta={align} onClick={click}>
          {title}
          {sorts && (
            <>
              {NO_BREAK}
              <SortIcon size={12} />
            </>
          )}
          {sort && isSorted && <span aria-hidden>{NO_BREAK}↓</span>}
        </UnstyledButton>
      ) : (
        title
      )}
    </Table.Th>
  )
}

function TableSkeleton() {
  return (
    <Paper withBorder p="md" aria-busy="true" role="status" aria-label={texts.states.loading}>
      {[1, 2, 3, 4, 5, 6].map(line => (
        <Skeleton key={line} height={22} my={10} />
      ))}
    </Paper>
  )
}
