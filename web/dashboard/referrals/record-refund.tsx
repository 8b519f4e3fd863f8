import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { ReferralDetail, ReferralSale } from '@tributary/contract/dashboard'
import { parseMoney, plainAmount } from '@tributary/contract/money'
import { useState } from 'react'
import { money } from '../../ui/format.ts'
import { useChange } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { manualId } from '../shared/manual-id.ts'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.recordRefund
const { actions } = sharedTexts

/** Records a refund of a sale, exactly as a report would. */
export function RecordRefund({
  referral,
  sale,
  leftMinor,
  onClose,
}: {
  referral: ReferralDetail
  sale: ReferralSale
  /** What has not been refunded yet. */
  leftMinor: number
  onClose: () => void
}) {
  const [amount, setAmount] = useState(plainAmount(leftMinor, sale.currency))
  const [externalId] = useState(() => manualId('refund'))
  const record = useChange('recordRefund', {
    isQuiet: true,
    done: made => texts.done(made.commissions),
    onDone: onClose,
  })
  const minor = parseMoney(amount, sale.currency)
  const isWrong = !minor || minor <= 0 || minor > leftMinor
  const left = money(leftMinor, sale.currency)
  return (
    <Modal opened onClose={onClose} title={texts.title} closeButtonProps={{ 'aria-label': actions.close }}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (isWrong) return
          record.mutate({
            id: referral.id,
            body: { sale_id: sale.id, external_id: externalId, amount_minor: minor },
          })
        }}
      >
        <Stack>
          <Text size="sm">{texts.of(sale.external_id, money(sale.amount_minor, sale.currency))}</Text>
          <Text size="sm" c="dimmed">
            {texts.note}
          </Text>
          <TextInput
            label={texts.amount(sale.currency)}
            description={texts.amountHint(left)}
            inputMode="decimal"
            value={amount}
            onChange={event => setAmount(event.currentTarget.value)}
            error={isWrong && amount !== '' ? texts.amountProblem(left) : undefined}
            required
            data-autofocus
          />
          {record.error && <Alert color="red">{record.error.message}</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {actions.cancel}
            </Button>
            <Button type="submit" color="red.9" loading={record.isPending} disabled={isWrong}>
              {texts.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
