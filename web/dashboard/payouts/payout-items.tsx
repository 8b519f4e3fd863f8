import { Button, Group, Loader, Select, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { useEffect, useState } from 'react'
import { count, words } from '../../ui/format.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { Money, Status } from '../../ui/values.tsx'
import { useAccount, useMay } from '../shared/account.tsx'
import { pathOf } from '../shared/api.ts'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { When } from '../shared/facts.tsx'
import { AffiliateLink } from '../shared/named-links.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { EmptyState } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import type { Decision } from './payout-decision.tsx'
import { BulkButtons, ItemActions, TakeBack } from './payout-item-actions.tsx'
import { reasonWords } from './payout-words.ts'
import { itemStatuses } from './payouts.search.ts'

const LOOK_AGAIN_MS = 2000

const columns: Column<PayoutItemRow>[] = [
  { title: 'Affiliate', cell: row => <Receiver row={row} /> },
  {
    title: 'Amount',
    align: 'right',
    cell: row => <Money minor={row.amount_minor} currency={row.currency} />,
  },
  { title: 'Status', cell: row => <ItemStatus row={row} /> },
  { title: 'Reason or reference', cell: row => <ItemNotes row={row} /> },
]

/** Every payment of a payout, with what became of it and what can still be done about it. */
export function PayoutItems({
  payout,
  decide,
}: {
  payout: PayoutDetail
  decide: (decision: Decision) => void
}) {
  const { status } = useFilters('/$account/payouts/$id').values
  const mayPay = useMay('money')
  const [takenBack, setTakenBack] = useState<PayoutItemRow | null>(null)
  useFollow(payout)
  const isAtPayPal = payout.status === 'processing' && payout.rail === 'paypal'
  const isUnderWay = payout.unbooked > 0 || isAtPayPal
  const hasActions = payout.by_hand > 0 || isAtPayPal
  const actions: Column<PayoutItemRow> = {
    title: 'Actions',
    cell: row => <ItemActions row={row} decide={decide} takeBack={setTakenBack} />,
  }
  return (
    <>
      <ItemFilter payout={payout} />
      <DataTable
        route="listPayoutItems"
        label={`Items of payout ${payout.id}`}
        id={payout.id}
        query={{ status }}
        columns={mayPay && hasActions ? [...columns, actions] : columns}
        refetchInterval={isUnderWay && LOOK_AGAIN_MS}
        bulk={
          mayPay && payout.by_hand > 0
            ? (_ids, clear, rows) => <BulkButtons rows={rows} decide={decide} clear={clear} />
            : undefined
        }
        empty={<EmptyState title="No item is in this status">Choose another one above.</EmptyState>}
      />
      {takenBack && <TakeBack payout={payout} item={takenBack} onClose={() => setTakenBack(null)} />}
    </>
  )
}

/** Whenever the numbers change, the items behind them are asked for again: the last change too, after which nobody asks. */
function useFollow({ id, counts, unbooked }: PayoutDetail) {
  const account = useAccount()
  const queries = useQueryClient()
  const state = JSON.stringify([counts, unbooked])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the numbers are what it follows.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: queryKeys.listOf(account.id, 'listPayoutItems', id) })
  }, [queries, account.id, id, state])
}

function ItemFilter({ payout }: { payout: PayoutDetail }) {
  const account = useAccount()
  const { values, set } = useFilters('/$account/payouts/$id')
  return (
    <Group justify="space-between" align="flex-end" mb="sm">
      <Select
        label="Status"
        placeholder="Any"
        data={itemStatuses.map(status => ({
          value: status,
          label: `${words(status)} (${count(payout.counts.find(each => each.status === status)?.items ?? 0)})`,
        }))}
        value={values.status ?? null}
        onChange={value => set({ status: itemStatuses.find(each => each === value) })}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear Status' }}
      />
      <Button
        component="a"
        href={`/dashboard/api/${pathOf(account.id, 'exportPayoutItems', { id: payout.id })}`}
        download
        variant="default"
        leftSection={<DownloadIcon size={16} />}
      >
        Export CSV
      </Button>
    </Group>
  )
}

/** Who is paid, and the address where it is another one than theirs. */
function Receiver({ row }: { row: PayoutItemRow }) {
  return (
    <div style={{ minWidth: 170 }}>
      <AffiliateLink id={row.affiliate_id} name={row.name} email={row.email} />
      {row.payout_address !== row.email && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {row.payout_address ? `paid to ${row.payout_address}` : 'no PayPal address'}
        </Text>
      )}
    </div>
  )
}

function ItemStatus({ row }: { row: PayoutItemRow }) {
  const isBooked = row.outcome === null || row.outcome === row.status
  return (
    <Group gap={8} wrap="nowrap">
      <Status value={row.outcome ?? row.status} />
      {!isBooked && <Loader size={12} />}
      <Text size="xs" c="dimmed">
        {isBooked ? row.settled_at && <When time={row.settled_at} /> : 'being booked'}
      </Text>
    </Group>
  )
}

function ItemNotes({ row }: { row: PayoutItemRow }) {
  if (!row.reason && !row.reference)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    )
  return (
    <div style={{ maxWidth: 280, overflowWrap: 'anywhere' }}>
      {row.reason && (
        <Text inherit c={row.status === 'failed' ? 'red' : undefined}>
          {reasonWords(row.reason)}
        </Text>
      )}
      {row.reference && (
        <Text size="xs" c="dimmed">
          {row.reference}
        </Text>
      )}
    </div>
  )
}
