import { Button, Group, Text } from '@mantine/core'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { useChange } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts } from './en.ts'
import { FailedActions } from './failed-payments.tsx'
import type { Decision } from './payout-decision.tsx'

/** The most payments in one request. */
const MOST_AT_ONCE = 500

/** The actions that the status of a payment allows. */
export function ItemActions({
  payout,
  row,
  decide,
  cancel,
}: {
  payout: PayoutDetail
  row: PayoutItemRow
  decide: (decision: Decision) => void
  cancel: (item: PayoutItemRow) => void
}) {
  const who = row.name ?? row.email
  if (row.can_be_retried) return <FailedActions payout={payout} row={row} />
  if (row.by_hand || row.is_unsent)
    return (
      <Group gap={4} wrap="nowrap">
        {row.by_hand && (
          <Button
            size="compact-sm"
            variant="light"
            aria-label={texts.mark.one('paid', who)}
            onClick={() => decide({ outcome: 'paid', items: [row] })}
          >
            {texts.mark.paid}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={texts.mark.one('failed', who)}
          onClick={() => decide({ outcome: 'failed', items: [row] })}
        >
          {texts.mark.failed}
        </Button>
      </Group>
    )
  if (row.can_be_taken_back)
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={texts.cancelPayment.one(who)}
        onClick={() => cancel(row)}
      >
        {texts.cancelPayment.action}
      </Button>
    )
  return null
}

/** Applies to the selected payments that can be marked manually. */
export function BulkButtons({
  rows,
  decide,
  clear,
}: {
  rows: PayoutItemRow[]
  decide: (decision: Decision) => void
  clear: () => void
}) {
  const payable = rows.filter(({ by_hand }) => by_hand)
  const items = rows.filter(({ by_hand, is_unsent }) => by_hand || is_unsent)
  if (items.length === 0 || items.length > MOST_AT_ONCE)
    return (
      <Text size="sm" c="dimmed">
        {items.length === 0 ? texts.mark.noneSelected : texts.mark.tooMany(MOST_AT_ONCE)}
      </Text>
    )
  return (
    <>
      {payable.length > 0 && (
        <Button size="xs" onClick={() => decide({ outcome: 'paid', items: payable, onDone: clear })}>
          {texts.mark.several('paid', payable.length)}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => decide({ outcome: 'failed', items, onDone: clear })}>
        {texts.mark.several('failed', items.length)}
      </Button>
    </>
  )
}

export function CancelPayment({
  payout,
  item,
  onClose,
}: {
  payout: PayoutDetail
  item: PayoutItemRow
  onClose: () => void
}) {
  const cancel = useChange('cancelPayout', {
    done: ({ items }) => (items === 1 ? texts.cancelPayment.done : texts.cancelPayment.notDone),
  })
  return (
    <ConfirmDialog
      title={texts.cancelPayment.title}
      confirm={texts.cancelPayment.action}
      cancel={texts.cancelPayment.keep}
      colour="red"
      onClose={onClose}
      onConfirm={() => {
        onClose()
        cancel.mutate({ id: payout.id, body: { item_id: item.id } })
      }}
    >
      <Text size="sm">
        {texts.cancelPayment.consequences(
          money(item.amount_minor, item.currency),
          item.payout_address ?? item.email,
        )}
      </Text>
    </ConfirmDialog>
  )
}
