import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { ReferralDetail } from '@tributary/contract/dashboard'
import { parseMoney } from '@tributary/contract/money'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { manualId } from '../shared/manual-id.ts'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.recordSale
const { actions, fields } = sharedTexts

/** Records a sale that was not reported, exactly as a report would. */
export function RecordSale({ referral, onClose }: { referral: ReferralDetail; onClose: () => void }) {
  const [amount, setAmount] = useState('')
  const [currency, setCurrency] = useState(referral.sales[0]?.currency ?? 'USD')
  // One ID for as long as the dialog is open, so that pressing the button twice records one sale.
  const [externalId, setExternalId] = useState(() => manualId('sale'))
  const [time, setTime] = useState('')
  const record = useChange('recordSale', {
    isQuiet: true,
    done: made => (made.created ? texts.done(made.commissions, made.waiting_for !== null) : texts.known),
    onDone: onClose,
  })
  const minor = parseMoney(amount, currency)
  const isWrong = amount !== '' && !(minor && minor > 0)
  return (
    <Modal opened onClose={onClose} title={texts.title} closeButtonProps={{ 'aria-label': actions.close }}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (!minor || minor <= 0) return
          const occurred_at = time ? new Date(time).toISOString() : undefined
          record.mutate({
            id: referral.id,
            body: { external_id: externalId, amount_minor: minor, currency, occurred_at },
          })
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            {texts.note(referral.customer_ref, referral.campaign_name)}
          </Text>
          <Group align="flex-start" grow>
            <TextInput
              label={fields.amount}
              placeholder={texts.amountExample}
              inputMode="decimal"
              value={amount}
              onChange={event => setAmount(event.currentTarget.value)}
              error={isWrong ? texts.amountProblem : undefined}
              required
              data-autofocus
            />
            <TextInput
              label={texts.currency}
              value={currency}
              maxLength={3}
              onChange={event => setCurrency(event.currentTarget.value.toUpperCase())}
              required
            />
          </Group>
          <TextInput
            type="datetime-local"
            label={texts.time}
            description={texts.timeHint}
            value={time}
            onChange={event => setTime(event.currentTarget.value)}
          />
          <TextInput
            label={texts.id}
            description={texts.idHint}
            value={externalId}
            maxLength={255}
            onChange={event => setExternalId(event.currentTarget.value)}
            required
          />
          {record.error && <Alert color="red">{record.error.message}</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {actions.cancel}
            </Button>
            <Button type="submit" loading={record.isPending} disabled={!minor || minor <= 0}>
              {texts.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
