import { Button, Center } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { PortalQuery, PortalResult } from '@tributary/contract/portal'
import { pages as texts } from '@tributary/contract/portal/texts'
import type { ReactNode } from 'react'
import { call } from './api.ts'
import { queryKeys } from './query-keys.ts'
import { Card, Loading, Problem } from './states.tsx'

type ListRoute = 'listReferrals' | 'listCommissions' | 'listPayouts'
type RowOf<Id extends ListRoute> = PortalResult<Id>['data'][number]

/** A list with a "Show more" button: on a phone, scrolling beats paging. */
export function PagesOf<Id extends ListRoute>({
  route,
  query,
  empty,
  children,
}: {
  route: Id
  query?: PortalQuery<Id>
  empty: ReactNode
  children: (row: RowOf<Id>) => ReactNode
}) {
  const list = useInfiniteQuery({
    queryKey: queryKeys.pages(route, query),
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam }) => {
      const page = await call(route, {
        query: { limit: 25, ...query, ...(pageParam && { after: pageParam }) } as PortalQuery<Id>,
      })
      return page as { data: RowOf<Id>[]; next: number | null }
    },
    getNextPageParam: page => page.next ?? undefined,
  })
  if (!list.data) return list.error ? <Problem error={list.error} retry={list.refetch} /> : <Loading />
  const rows = list.data.pages.flatMap(page => page.data)
  if (rows.length === 0) return empty
  return (
    <Card>
      <ul className="rows">
        {rows.map(row => (
          <li key={row.id}>{children(row)}</li>
        ))}
      </ul>
      {list.error && <Problem error={list.error} retry={list.fetchNextPage} />}
      {list.hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {texts.common.more}
          </Button>
        </Center>
      )}
    </Card>
  )
}
