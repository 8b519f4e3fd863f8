import { Alert, Box, Button, Paper, Skeleton, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DashboardBody, PayoutPreviewPage, PreviewRow } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { useAccount } from '../shared/account.tsx'
import { call } from '../shared/api.ts'
import { AffiliateLink } from '../shared/named-links.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { reasonOf } from './exclusions.ts'
import { exclusionWords } from './payout-words.ts'

/** What a payout is made of; the digest then proves that it is what was looked at. */
export type PayoutRequest = Omit<DashboardBody<'createPayout'>, 'digest'>

interface Props {
  request: PayoutRequest
  /** The dry run as it was first looked at. */
  first: PayoutPreviewPage
  only: 'paid' | 'excluded'
  again: () => void
}

/** The affiliates of a dry run. Later pages are of the same cut-off; where their content differs from the first, that is said. */
export function DryRunTable({ request, first, only, again }: Props) {
  const account = useAccount()
  const { values } = useFilters('/$account/payouts/new')
  const reason = only === 'excluded' ? reasonOf(values, first) : undefined
  const query = { ...request, only, reason }
  const pages = useInfiniteQuery({
    queryKey: queryKeys.dryRunPages(account.id, query, first.digest),
    queryFn: ({ pageParam }) =>
      call(account.id, 'previewPayout', { query: { ...query, after: pageParam ?? undefined } }),
    initialPageParam: null as number | null,
    getNextPageParam: page => page.next,
    ...(only === 'paid' && { initialData: { pages: [first], pageParams: [null] } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (pages.isPending) return <Skeleton height={240} aria-label="Loading" />
  if (pages.isError) return <ErrorNotice error={pages.error} retry={() => void pages.refetch()} />
  const rows = pages.data.pages.flatMap(page => page.data)
  const hasChanged = pages.data.pages.some(({ digest }) => digest !== first.digest)
  if (rows.length === 0)
    return (
      <Paper withBorder>
        {only === 'paid' ? (
          <EmptyState title="Nobody would be paid">
            Nothing in this campaign is approved and due, or what is due is too little. “Gets nothing” says
            why.
          </EmptyState>
        ) : (
          <EmptyState title="Nobody goes empty-handed">
            Everybody with something open would be paid.
          </EmptyState>
        )}
      </Paper>
    )
  return (
    <>
      {hasChanged && (
        <Alert
          color="orange"
          variant="light"
          title="Something changed while you were looking"
          mb="sm"
          role="alert"
        >
          <Button size="xs" onClick={again}>
            Look again
          </Button>
        </Alert>
      )}
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={760}>
          <Rows rows={rows} currency={first.currency} only={only} />
        </Table.ScrollContainer>
      </Paper>
      <Box mt="sm" ta="center">
        {pages.hasNextPage ? (
          <Button
            variant="default"
            onClick={() => void pages.fetchNextPage()}
            loading={pages.isFetchingNextPage}
          >
            Show more
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            {count(rows.length)} {rows.length === 1 ? 'row' : 'rows'}, the end of the list
          </Text>
        )}
      </Box>
    </>
  )
}

function Rows({ rows, currency, only }: { rows: PreviewRow[]; currency: string; only: Props['only'] }) {
  const amounts = ['balance_minor', 'on_hold_minor', 'in_review_minor', 'in_payout_minor'] as const
  return (
    <Table aria-label={only === 'paid' ? 'Affiliates who will be paid' : 'Affiliates who get nothing'}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Affiliate</Table.Th>
          {only === 'paid' ? <Table.Th ta="right">Gets</Table.Th> : <Table.Th>Why nothing</Table.Th>}
          {only === 'paid' && <Table.Th>Paid to</Table.Th>}
          <Table.Th ta="right">Balance</Table.Th>
          <Table.Th ta="right">On hold</Table.Th>
          <Table.Th ta="right">In review</Table.Th>
          <Table.Th ta="right">In another payout</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(row => (
          <Table.Tr key={row.id}>
            <Table.Td>
              <AffiliateLink id={row.id} name={row.name} email={row.email} />
            </Table.Td>
            {row.item ? (
              <Table.Td ta="right">
                <Text span fw={600} inherit>
                  <Money minor={row.item.amount_minor} currency={currency} />
                </Text>
                <Text size="xs" c="dimmed">
                  {count(row.item.entries)} {row.item.entries === 1 ? 'entry' : 'entries'}
                </Text>
              </Table.Td>
            ) : (
              <Table.Td>{row.reason && exclusionWords[row.reason].title}</Table.Td>
            )}
            {only === 'paid' && (
              <Table.Td>
                {row.item?.payout_address ?? (
                  <Text span inherit c="dimmed">
                    no PayPal address
                  </Text>
                )}
              </Table.Td>
            )}
            {amounts.map(name => (
              <Table.Td key={name} ta="right">
                <Money minor={row[name]} currency={currency} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
