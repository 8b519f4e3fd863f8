import { Group, Loader, Select, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { useEffect, useState } from 'react'
import { words } from '../../ui/format.ts'
import { Money, Status } from '../../ui/values.tsx'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useAccount, useMay } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { AffiliateLink, PageLink } from '../shared/named-links.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { EmptyState } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts as areaTexts } from './en.ts'
import type { Decision } from './payout-decision.tsx'
import { BulkButtons, CancelPayment, ItemActions } from './payout-item-actions.tsx'
import { leftToMark, reasonText } from './payout-text.ts'
import { itemStatuses } from './payouts.search.ts'

const texts = areaTexts.payment
const { fields, filters, states } = sharedTexts

const POLL_MS = 2000

const columnsOf = (rail: PayoutDetail['rail']): Column<PayoutItemRow>[] => [
  { title: fields.affiliate, cell: row => <Recipient row={row} rail={rail} /> },
  {
    title: fields.amount,
    align: 'right',
    cell: row => <Money minor={row.amount_minor} currency={row.currency} />,
  },
  { title: fields.status, cell: row => <ItemStatus row={row} /> },
  { title: texts.reasonOrReference, cell: row => <ItemNotes row={row} /> },
]

/** The payments of a payout, with their status and the actions that are left. */
export function PayoutItems({
  payout,
  decide,
}: {
  payout: PayoutDetail
  decide: (decision: Decision) => void
}) {
  const { status, affiliate_id } = useFilters('/$account/payouts/$id').values
  const mayPay = useMay('money')
  const [toCancel, setToCancel] = useState<PayoutItemRow | null>(null)
  useRefetchOnChange(payout)
  const isAtPayPal = payout.status === 'processing' && payout.rail === 'paypal'
  const isUnderWay = payout.unbooked > 0 || isAtPayPal
  const mayMark = leftToMark(payout, 'failed') > 0
  const hasActions = mayMark || payout.retryable > 0 || isAtPayPal
  const actions: Column<PayoutItemRow> = {
    title: texts.actions,
    cell: row => <ItemActions payout={payout} row={row} decide={decide} cancel={setToCancel} />,
  }
  const columns = columnsOf(payout.rail)
  return (
    <>
      <ItemFilter payout={payout} />
      <DataTable
        route="listPayoutItems"
        label={texts.label(payout.id)}
        id={payout.id}
        query={{ status, affiliate_id }}
        columns={mayPay && hasActions ? [...columns, actions] : columns}
        refetchInterval={isUnderWay && POLL_MS}
        bulk={
          mayPay && mayMark
            ? (_ids, clear, rows) => <BulkButtons rows={rows} decide={decide} clear={clear} />
            : undefined
        }
        empty={<EmptyState title={texts.noneTitle}>{texts.noneText}</EmptyState>}
      />
      {toCancel && <CancelPayment payout={payout} item={toCancel} onClose={() => setToCancel(null)} />}
    </>
  )
}

/** Refetches the payments whenever the counts change: also on the last change, after which polling stops. */
function useRefetchOnChange({ id, counts, unbooked }: PayoutDetail) {
  const account = useAccount()
  const queries = useQueryClient()
  const state = JSON.stringify([counts, unbooked])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counts are the trigger.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: queryKeys.listOf(account.id, 'listPayoutItems', id) })
  }, [queries, account.id, id, state])
}

function ItemFilter({ payout }: { payout: PayoutDetail }) {
  const { values, set, bind } = useFilters('/$account/payouts/$id')
  const query = { status: values.status, affiliate_id: values.affiliate_id }
  return (
    <Group justify="space-between" align="flex-end" mb="sm">
      <Group align="flex-end" gap="sm">
        <Select
          label={fields.status}
          placeholder={filters.any}
          data={itemStatuses.map(status => ({
            value: status,
            label: texts.statusOption(
              words(status),
              payout.counts.find(each => each.status === status)?.items ?? 0,
            ),
          }))}
          value={values.status ?? null}
          onChange={value => set({ status: itemStatuses.find(each => each === value) })}
          clearable
          clearButtonProps={{ 'aria-label': filters.clearOne(fields.status) }}
        />
        <AffiliatePicker {...bind('affiliate_id')} />
      </Group>
      <ExportLink route="exportPayoutItems" id={payout.id} query={query} />
    </Group>
  )
}

/** The affiliate, and the payout address if it differs from their email. */
function Recipient({ row, rail }: { row: PayoutItemRow; rail: PayoutDetail['rail'] }) {
  const address = row.payout_address === row.email ? undefined : addressText(row, rail)
  return (
    <div style={{ minWidth: 170 }}>
      <AffiliateLink id={row.affiliate_id} name={row.name} email={row.email} />
      {address && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {address}
        </Text>
      )}
    </div>
  )
}

const addressText = (
  { payout_address: address, outcome, status }: PayoutItemRow,
  rail: PayoutDetail['rail'],
): string | undefined => {
  // A manual payment that was made without one went elsewhere.
  if (address === null)
    return rail === 'paypal' || status === 'pending' ? areaTexts.noPayPalAddress : undefined
  if (rail !== 'paypal') return texts.address.known(address)
  const ended = outcome ?? status
  if (ended === 'paid') return texts.address.paid(address)
  return ended === 'failed' || ended === 'canceled'
    ? texts.address.failed(address)
    : texts.address.open(address)
}

function ItemStatus({ row }: { row: PayoutItemRow }) {
  const isRecorded = row.outcome === null || row.outcome === row.status
  return (
    <Group gap={8} wrap="nowrap">
      <Status value={row.outcome ?? row.status} />
      {!isRecorded && <Loader size={12} />}
      <Text size="xs" c="dimmed">
        {isRecorded ? row.settled_at && <When time={row.settled_at} /> : texts.recording}
      </Text>
    </Group>
  )
}

function ItemNotes({ row }: { row: PayoutItemRow }) {
  if (!row.reason && !row.reference && row.next_payout_id === null)
    return (
      <Text span inherit c="dimmed">
        {states.none}
      </Text>
    )
  return (
    <div style={{ maxWidth: 280, overflowWrap: 'anywhere' }}>
      {row.reason && (
        <Text inherit c={row.status === 'failed' ? 'red' : undefined}>
          {reasonText(row.reason)}
        </Text>
      )}
      {row.reference && (
        <Text size="xs" c="dimmed">
          {row.reference}
        </Text>
      )}
      {row.next_payout_id !== null && !row.can_be_retried && (
        <Text size="xs">
          {areaTexts.failed.nextPayout}{' '}
          <PageLink to={`payouts/${row.next_payout_id}`} inText>
            {areaTexts.payout(row.next_payout_id)}
          </PageLink>
        </Text>
      )}
    </div>
  )
}
