import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { count } from '../../ui/format.ts'
import { useChange } from '../shared/account.tsx'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { decidedAbout, itemsWords } from './payout-words.ts'

/** What a person wants to say of a payout: of some items, or of all that are left for a person to decide. */
export interface Decision {
  outcome: 'paid' | 'failed'
  items?: PayoutItemRow[]
  onDone?: () => void
}

const LONGEST_NOTE = 1000

/** Asks once more, with how many and how much, and for what should be remembered of it. */
export function DecisionDialog({
  payout,
  decision: { outcome, items, onDone },
  onClose,
}: {
  payout: PayoutDetail
  decision: Decision
  onClose: () => void
}) {
  useReturnsFocus()
  const [note, setNote] = useState('')
  const settled = {
    done: ({ items: number }: { items: number }) =>
      number === 0
        ? 'Nothing was left to decide.'
        : `${number === 1 ? 'One item is' : `${count(number)} items are`} marked ${outcome}, and booked within a moment.`,
    onDone: () => {
      onDone?.()
      onClose()
    },
  }
  const pay = useChange('payPayout', settled)
  const fail = useChange('failPayout', settled)
  const isPaid = outcome === 'paid'
  const item_ids = items?.map(({ id }) => id)
  const submit = () => {
    const text = note.trim() || undefined
    if (isPaid) pay.mutate({ id: payout.id, body: { item_ids, reference: text } })
    else if (text) fail.mutate({ id: payout.id, body: { item_ids, reason: text } })
  }
  const number = items?.length ?? payout.by_hand
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={items ? `Mark ${itemsWords(number)} ${outcome}` : `Mark payout ${payout.id} ${outcome}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="sm">
          <Text size="sm">{decidedAbout(payout, items)}</Text>
          <Text size="sm" c="dimmed">
            {isPaid
              ? 'It is booked as paid for good. Say so only when the money has left.'
              : 'What it was for returns to the next payout. Say so only when no money has left.'}
          </Text>
          <TextInput
            label={isPaid ? 'Reference (optional)' : 'Reason'}
            description={
              isPaid ? 'Where to find the payment, such as the number of a transfer.' : 'Why it was not paid.'
            }
            value={note}
            onChange={event => setNote(event.currentTarget.value)}
            maxLength={LONGEST_NOTE}
            required={!isPaid}
            data-autofocus
          />
          <Group justify="flex-end" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={isPaid ? undefined : 'red.9'}
              loading={pay.isPending || fail.isPending}
            >
              {isPaid ? 'Confirm as paid' : 'Confirm as failed'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
