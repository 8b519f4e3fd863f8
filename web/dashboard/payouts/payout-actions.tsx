import { Button, Radio, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { PayoutDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { count, money } from '../../ui/format.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { showError, useAccount, useChange, useMay } from '../shared/account.tsx'
import { download } from '../shared/api.ts'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import type { Decision } from './payout-decision.tsx'

type Format = 'paypal' | 'bank'

/** What can be done with the whole payout from where it stands. */
export function PayoutActions({
  payout,
  decide,
}: {
  payout: PayoutDetail
  decide: (decision: Decision) => void
}) {
  const mayPay = useMay('money')
  const isOpen = payout.status === 'pending' || payout.status === 'processing'
  // What has been decided is being booked; until something is left to decide, there is nothing to do.
  if (!mayPay || !isOpen) return null
  const isManual = payout.rail === 'manual'
  const isUnsent = payout.status === 'pending' && payout.unbooked === 0
  return (
    <>
      {isUnsent && <CancelButton payout={payout} />}
      {isManual && payout.by_hand > 0 && <ExportButton payout={payout} />}
      {payout.by_hand > 0 && payout.status === 'processing' && (
        <Button variant="default" onClick={() => decide({ outcome: 'failed' })}>
          Mark failed
        </Button>
      )}
      {payout.by_hand > 0 && <Button onClick={() => decide({ outcome: 'paid' })}>Mark paid</Button>}
      {!isManual && isUnsent && <SendButton payout={payout} />}
    </>
  )
}

function SendButton({ payout }: { payout: PayoutDetail }) {
  const [isAsking, setAsking] = useState(false)
  const send = useChange('payPayout', { done: 'The service sends it to PayPal now.' })
  const total = money(payout.total_minor, payout.currency)
  return (
    <>
      <Button disabled={!payout.has_paypal} loading={send.isPending} onClick={() => setAsking(true)}>
        Send to PayPal
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Send payout ${payout.id} to PayPal?`}
          confirm={`Send ${total}`}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            send.mutate({ id: payout.id, body: {} })
          }}
        >
          <Text size="sm">
            PayPal is asked to make <strong>{count(payout.item_count)}</strong>{' '}
            {payout.item_count === 1 ? 'payment' : 'payments'} of <strong>{total}</strong> in total from your
            PayPal balance. This cannot be taken back; single payments can be, as long as their receivers have
            not claimed them.
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}

function CancelButton({ payout }: { payout: PayoutDetail }) {
  const [isAsking, setAsking] = useState(false)
  const cancel = useChange('cancelPayout', { done: 'The payout is canceled.' })
  return (
    <>
      <Button variant="subtle" color="red" loading={cancel.isPending} onClick={() => setAsking(true)}>
        Cancel payout
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Cancel payout ${payout.id}?`}
          confirm="Yes, cancel it"
          colour="red"
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            cancel.mutate({ id: payout.id, body: {} })
          }}
        >
          <Text size="sm">
            {count(payout.item_count)} {payout.item_count === 1 ? 'item' : 'items'} of{' '}
            {money(payout.total_minor, payout.currency)} in total will not be paid. What they were for is free
            for the next payout.
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}

const formats: Record<Format, { title: string; note: string }> = {
  bank: { title: 'Bank CSV', note: 'Names, email addresses, amounts and references, to pay by transfer.' },
  paypal: {
    title: 'PayPal CSV',
    note: 'As PayPal’s mass payments take it; everybody needs a PayPal address.',
  },
}

function ExportButton({ payout }: { payout: PayoutDetail }) {
  const account = useAccount()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [format, setFormat] = useState<Format>('bank')
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setAsking(false)
    setBusy(true)
    try {
      await download(account.id, 'exportPayout', { id: payout.id, body: { format } })
    } catch (error) {
      showError(error as Error)
    } finally {
      setBusy(false)
      await queries.invalidateQueries({ queryKey: queryKeys.account(account.id) })
    }
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<DownloadIcon size={16} />}
        loading={isBusy}
        onClick={() => setAsking(true)}
      >
        Export
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Export the file to pay from"
          confirm={`Export ${formats[format].title}`}
          onClose={() => setAsking(false)}
          onConfirm={() => void save()}
        >
          <Radio.Group label="Format" value={format} onChange={value => setFormat(value as Format)}>
            <Stack gap="xs" mt="xs">
              {(Object.keys(formats) as Format[]).map(each => (
                <Radio key={each} value={each} label={formats[each].title} description={formats[each].note} />
              ))}
            </Stack>
          </Radio.Group>
          <Text size="sm">
            It holds {count(payout.by_hand)} {payout.by_hand === 1 ? 'payment' : 'payments'}.{' '}
            {payout.status === 'pending' &&
              'From then on the payout counts as sent: it can no longer be canceled, and each of its items ends as paid or failed.'}
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}
