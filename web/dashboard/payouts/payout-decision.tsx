import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { texts as areaTexts } from './en.ts'
import { decidedAbout, leftToMark } from './payout-text.ts'

const { actions } = sharedTexts
const texts = areaTexts.mark

/** Marks payments as paid or failed: some of them, or all that need a manual decision. */
export interface Decision {
  outcome: 'paid' | 'failed'
  items?: PayoutItemRow[]
  onDone?: () => void
}

const LONGEST_NOTE = 1000

/** Confirms the decision with its number and amount, and takes a reference or a reason. */
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
  // The page behind is refetched; what is confirmed is what the dialog showed when it opened.
  const [left] = useState(() => leftToMark(payout, outcome))
  const settled = {
    done: ({ items: number }: { items: number }) => texts.done(number, outcome),
    onDone: () => {
      onDone?.()
      onClose()
    },
  }
  const pay = useChange('payPayout', settled)
  const fail = useChange('failPayout', settled)
  const isPaid = outcome === 'paid'
  const number = items?.length ?? left
  const marked = items ? { item_ids: items.map(({ id }) => id) } : { expected: left }
  const submit = () => {
    const text = note.trim() || undefined
    if (isPaid) pay.mutate({ id: payout.id, body: { ...marked, reference: text } })
    else if (text) fail.mutate({ id: payout.id, body: { ...marked, reason: text } })
  }
  return (
    <Modal
      opened
      onClose={onClose}
      centered
      title={items ? texts.titlePayments(number, outcome) : texts.titlePayout(payout.id, outcome)}
      closeButtonProps={{ 'aria-label': actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="sm">
          <Text size="sm">{decidedAbout(payout.currency, items, left)}</Text>
          <Text size="sm" c="dimmed">
            {isPaid ? texts.paidNote : texts.failedNote}
          </Text>
          <TextInput
            label={isPaid ? texts.reference : texts.reason}
            description={isPaid ? texts.referenceHint : texts.reasonHint}
            value={note}
            onChange={event => setNote(event.currentTarget.value)}
            maxLength={LONGEST_NOTE}
            required={!isPaid}
            data-autofocus
          />
          <Group justify="flex-end" mt="xs">
            <Button variant="default" onClick={onClose}>
              {actions.cancel}
            </Button>
            <Button
              type="submit"
              color={isPaid ? undefined : 'red.9'}
              loading={pay.isPending || fail.isPending}
            >
              {isPaid ? texts.paid : texts.failed}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
