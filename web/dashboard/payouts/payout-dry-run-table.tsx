import { Alert, Box, Button, Paper, Skeleton, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DashboardBody, PayoutPreviewPage, PreviewRow } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { useAccount } from '../shared/account.tsx'
import { call } from '../shared/api.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { AffiliateLink } from '../shared/named-links.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts as areaTexts } from './en.ts'
import { reasonOf } from './exclusions.ts'

const { preview } = areaTexts
const texts = preview.table
const { fields, states, table } = sharedTexts

/** The request for a payout; its digest then proves that the content matches the preview. */
export type PayoutRequest = Omit<DashboardBody<'createPayout'>, 'digest'>

interface Props {
  request: PayoutRequest
  /** The preview as it was first loaded. */
  first: PayoutPreviewPage
  /** When the preview was loaded. Its digest doesn't tell: it covers only those who are paid. */
  loadedAt: number
  only: 'paid' | 'excluded'
  refresh: () => void
}

/** The affiliates of a preview. Later pages have the same cut-off; a warning appears if their digest differs. */
export function DryRunTable({ request, first, loadedAt, only, refresh }: Props) {
  const account = useAccount()
  const { values } = useFilters('/$account/payouts/new')
  const reason = only === 'excluded' ? reasonOf(values, first) : undefined
  const query = { ...request, only, reason }
  const pages = useInfiniteQuery({
    queryKey: queryKeys.dryRunPages(account.id, query, loadedAt),
    queryFn: ({ pageParam }) =>
      call(account.id, 'previewPayout', { query: { ...query, after: pageParam ?? undefined } }),
    initialPageParam: null as number | null,
    getNextPageParam: page => page.next,
    ...(only === 'paid' && { initialData: { pages: [first], pageParams: [null] } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (pages.isPending) return <Skeleton height={240} role="status" aria-label={states.loading} />
  if (pages.isError) return <ErrorNotice error={pages.error} retry={() => void pages.refetch()} />
  const rows = pages.data.pages.flatMap(page => page.data)
  const hasChanged = pages.data.pages.some(({ digest }) => digest !== first.digest)
  if (rows.length === 0)
    return (
      <Paper withBorder>
        {only === 'paid' ? (
          <EmptyState title={texts.noneIncluded}>{texts.noneIncludedText}</EmptyState>
        ) : (
          <EmptyState title={texts.noneExcluded}>{texts.noneExcludedText}</EmptyState>
        )}
      </Paper>
    )
  return (
    <>
      {hasChanged && (
        <Alert color="orange" variant="light" title={preview.outdated.title} mb="sm" role="alert">
          <Button size="xs" onClick={refresh}>
            {preview.refresh}
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
            {table.showMore}
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            {table.results(rows.length)}
          </Text>
        )}
      </Box>
    </>
  )
}

function Rows({ rows, currency, only }: { rows: PreviewRow[]; currency: string; only: Props['only'] }) {
  const amounts = ['balance_minor', 'on_hold_minor', 'in_review_minor', 'in_payout_minor'] as const
  return (
    <Table aria-label={only === 'paid' ? texts.included : texts.excluded}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{fields.affiliate}</Table.Th>
          {only === 'paid' ? (
            <Table.Th ta="right">{texts.payment}</Table.Th>
          ) : (
            <Table.Th>{fields.reason}</Table.Th>
          )}
          {only === 'paid' && <Table.Th>{texts.paidTo}</Table.Th>}
          <Table.Th ta="right">{texts.balance}</Table.Th>
          <Table.Th ta="right">{texts.onHold}</Table.Th>
          <Table.Th ta="right">{texts.inReview}</Table.Th>
          <Table.Th ta="right">{texts.inAnotherPayout}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(row => (
          <Table.Tr key={row.id}>
            <Table.Td miw={150}>
              <AffiliateLink id={row.id} name={row.name} email={row.email} />
            </Table.Td>
            {row.item ? (
              <Table.Td ta="right">
                <Text span fw={600} inherit>
                  <Money minor={row.item.amount_minor} currency={currency} />
                </Text>
                <Text size="xs" c="dimmed">
                  {texts.commissions(row.item.entries)}
                </Text>
              </Table.Td>
            ) : (
              <Table.Td>{row.reason && areaTexts.exclusions[row.reason].title}</Table.Td>
            )}
            {only === 'paid' && (
              <Table.Td>
                {row.item?.payout_address ?? (
                  <Text span inherit c="dimmed">
                    {areaTexts.noPayPalAddress}
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
