import { Button, Group, Text } from '@mantine/core'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { count, money } from '../../ui/format.ts'
import { useChange } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import type { Decision } from './payout-decision.tsx'

/** The most that one request decides. */
const MOST_AT_ONCE = 500

/** What can be done about one item from where it stands. */
export function ItemActions({
  row,
  decide,
  takeBack,
}: {
  row: PayoutItemRow
  decide: (decision: Decision) => void
  takeBack: (item: PayoutItemRow) => void
}) {
  const who = row.name ?? row.email
  if (row.by_hand)
    return (
      <Group gap={4} wrap="nowrap">
        <Button
          size="compact-sm"
          variant="light"
          aria-label={`Mark paid: ${who}`}
          onClick={() => decide({ outcome: 'paid', items: [row] })}
        >
          Mark paid
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Mark failed: ${who}`}
          onClick={() => decide({ outcome: 'failed', items: [row] })}
        >
          Mark failed
        </Button>
      </Group>
    )
  if (row.can_be_taken_back)
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`Take back: ${who}`}
        onClick={() => takeBack(row)}
      >
        Take back
      </Button>
    )
  return null
}

/** For those of the chosen items that a person may decide; the others are left as they are, and that is said. */
export function BulkButtons({
  rows,
  decide,
  clear,
}: {
  rows: PayoutItemRow[]
  decide: (decision: Decision) => void
  clear: () => void
}) {
  const items = rows.filter(({ by_hand }) => by_hand)
  if (items.length === 0 || items.length > MOST_AT_ONCE)
    return (
      <Text size="sm" c="dimmed">
        {items.length === 0
          ? 'None of them is for you to decide.'
          : `At most ${MOST_AT_ONCE} can be decided at once. “Mark paid” above decides all of them.`}
      </Text>
    )
  return (
    <>
      <Button size="xs" onClick={() => decide({ outcome: 'paid', items, onDone: clear })}>
        Mark {count(items.length)} paid
      </Button>
      <Button size="xs" variant="default" onClick={() => decide({ outcome: 'failed', items, onDone: clear })}>
        Mark {count(items.length)} failed
      </Button>
    </>
  )
}

export function TakeBack({
  payout,
  item,
  onClose,
}: {
  payout: PayoutDetail
  item: PayoutItemRow
  onClose: () => void
}) {
  const cancel = useChange('cancelPayout', {
    done: ({ items }) =>
      items === 1
        ? 'PayPal has taken it back.'
        : 'PayPal did not take it back; the item shows what became of it.',
  })
  return (
    <ConfirmDialog
      title="Take this payment back?"
      confirm="Ask PayPal to take it back"
      colour="red"
      onClose={onClose}
      onConfirm={() => {
        onClose()
        cancel.mutate({ id: payout.id, body: { item_id: item.id } })
      }}
    >
      <Text size="sm">
        {money(item.amount_minor, item.currency)} to {item.payout_address ?? item.email}. PayPal takes it back
        as long as the receiver has not claimed it. What it was for then returns to the next payout.
      </Text>
    </ConfirmDialog>
  )
}
