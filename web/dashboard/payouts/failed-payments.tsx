import { Alert, Button, Group, Menu, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { PayoutDetail, PayoutItemRow } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { money } from '../../ui/format.ts'
import { useChange, useMay } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.failed
const LONGEST_NOTE = 1000

type Choice = keyof typeof texts.choices

/** What can be done about a failed payment, each with what it does. */
export function FailedActions({ payout, row }: { payout: PayoutDetail; row: PayoutItemRow }) {
  const [choice, setChoice] = useState<Choice | null>(null)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="compact-sm" variant="light" aria-label={texts.of(row.name ?? row.email)}>
            {texts.action}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {(Object.keys(texts.choices) as Choice[]).map(each => (
            <Menu.Item key={each} maw={320} onClick={() => setChoice(each)}>
              {texts.choices[each].action}
              <Text size="xs" c="dimmed">
                {texts.choices[each].note}
              </Text>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {choice === 'retry' && (
        <RetryDialog payout={payout} items={[row]} number={1} onClose={() => setChoice(null)} />
      )}
      {choice === 'next' && <NextPayoutDialog payout={payout} row={row} onClose={() => setChoice(null)} />}
      {choice === 'paid' && <PaidDialog payout={payout} row={row} onClose={() => setChoice(null)} />}
    </>
  )
}

/** The failed payments of a payout that are still owed, with the next step. */
export function FailedNotice({ payout }: { payout: PayoutDetail }) {
  const [isAsked, setAsked] = useState(false)
  const mayPay = useMay('money')
  if (payout.retryable === 0) return null
  return (
    <Alert color="red" variant="light" mb="md" title={texts.notice(payout.retryable)}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 320px">
          {texts.noticeText}
        </Text>
        {mayPay && (
          <Button size="xs" variant="default" onClick={() => setAsked(true)}>
            {texts.retry(payout.retryable)}
          </Button>
        )}
      </Group>
      {isAsked && <RetryDialog payout={payout} number={payout.retryable} onClose={() => setAsked(false)} />}
    </Alert>
  )
}

function RetryDialog({
  payout,
  items,
  number,
  onClose,
}: {
  payout: PayoutDetail
  items?: PayoutItemRow[]
  number: number
  onClose: () => void
}) {
  const navigate = useNavigate({ from: '/$account' })
  const retry = useChange('retryPayments', {
    done: made => texts.retried(made.id, made.items, number),
    onDone: ({ id }) => void navigate({ to: '/$account/payouts/$id', params: { id: String(id) } }),
  })
  return (
    <ConfirmDialog
      title={texts.retryTitle(number)}
      confirm={texts.retry(number)}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        retry.mutate({ id: payout.id, body: { item_ids: items?.map(({ id }) => id) } })
      }}
    >
      <Text size="sm">{texts.retryText[payout.rail === 'paypal' ? 'paypal' : 'manual']}</Text>
      <Text size="sm" c="dimmed">
        {texts.retryAmount}
      </Text>
    </ConfirmDialog>
  )
}

function NextPayoutDialog({
  payout,
  row,
  onClose,
}: {
  payout: PayoutDetail
  row: PayoutItemRow
  onClose: () => void
}) {
  const navigate = useNavigate({ from: '/$account' })
  return (
    <ConfirmDialog
      title={texts.choices.next.action}
      confirm={texts.createNext}
      cancel={texts.leave}
      onClose={onClose}
      onConfirm={() => {
        const search = {
          campaign_id: payout.campaign_id,
          rail: payout.rail === 'paypal' ? payout.rail : undefined,
        }
        void navigate({ to: '/$account/payouts/new', search })
      }}
    >
      <Text size="sm">{texts.nextText(money(row.amount_minor, row.currency), payout.campaign_name)}</Text>
    </ConfirmDialog>
  )
}

function PaidDialog({
  payout,
  row,
  onClose,
}: {
  payout: PayoutDetail
  row: PayoutItemRow
  onClose: () => void
}) {
  const [reference, setReference] = useState('')
  const pay = useChange('payFailedPayments', { done: ({ id }) => texts.markedPaid(id) })
  const amount = money(row.amount_minor, row.currency)
  return (
    <ConfirmDialog
      title={texts.paidTitle}
      confirm={areaTexts.mark.paid}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        pay.mutate({
          id: payout.id,
          body: { item_ids: [row.id], reference: reference.trim() || undefined },
        })
      }}
    >
      <Text size="sm">{areaTexts.mark.about.one(amount, row.name ?? row.email, row.id)}</Text>
      <Text size="sm">{texts.paidText}</Text>
      <TextInput
        label={areaTexts.mark.reference}
        description={areaTexts.mark.referenceHint}
        value={reference}
        maxLength={LONGEST_NOTE}
        onChange={event => setReference(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
