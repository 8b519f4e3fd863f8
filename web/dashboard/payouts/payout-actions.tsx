import { Alert, Button, Radio, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { PayoutDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { money } from '../../ui/format.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { showError, useAccount, useChange, useMay } from '../shared/account.tsx'
import { download } from '../shared/api.ts'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { texts } from './en.ts'
import type { Decision } from './payout-decision.tsx'
import { leftToMark } from './payout-text.ts'

type Format = 'paypal' | 'bank'

/** The actions that the status of the payout allows. */
export function PayoutActions({
  payout,
  decide,
}: {
  payout: PayoutDetail
  decide: (decision: Decision) => void
}) {
  const mayPay = useMay('money')
  const isOpen = payout.status === 'pending' || payout.status === 'processing'
  // Decided payments are recorded in the background; without open ones there is nothing to do.
  if (!mayPay || !isOpen) return null
  const isManual = payout.rail === 'manual'
  const isUnsent = payout.status === 'pending' && payout.unbooked === 0
  return (
    <>
      {isUnsent && <CancelButton payout={payout} />}
      {isManual && payout.by_hand > 0 && <PaymentFileButton payout={payout} />}
      {leftToMark(payout, 'failed') > 0 && payout.status === 'processing' && (
        <Button variant="default" onClick={() => decide({ outcome: 'failed' })}>
          {texts.mark.failed}
        </Button>
      )}
      {payout.by_hand > 0 && <Button onClick={() => decide({ outcome: 'paid' })}>{texts.mark.paid}</Button>}
      {!isManual && isUnsent && <SendButton payout={payout} />}
    </>
  )
}

function SendButton({ payout }: { payout: PayoutDetail }) {
  const [isConfirming, setConfirming] = useState(false)
  const send = useChange('payPayout', { done: texts.send.done })
  const total = money(payout.total_minor, payout.currency)
  return (
    <>
      <Button disabled={!payout.has_paypal} loading={send.isPending} onClick={() => setConfirming(true)}>
        {texts.send.action}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.send.title(payout.id)}
          confirm={texts.send.confirm(total)}
          onClose={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false)
            send.mutate({ id: payout.id, body: { send: true } })
          }}
        >
          <Text size="sm">{texts.send.consequences(payout.item_count, total)}</Text>
        </ConfirmDialog>
      )}
    </>
  )
}

function CancelButton({ payout }: { payout: PayoutDetail }) {
  const [isConfirming, setConfirming] = useState(false)
  const cancel = useChange('cancelPayout', { done: texts.cancel.done })
  return (
    <>
      <Button variant="subtle" color="red" loading={cancel.isPending} onClick={() => setConfirming(true)}>
        {texts.cancel.action}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.cancel.title(payout.id)}
          confirm={texts.cancel.action}
          cancel={texts.cancel.keep}
          colour="red"
          onClose={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false)
            cancel.mutate({ id: payout.id, body: {} })
          }}
        >
          <Text size="sm">
            {texts.cancel.consequences(payout.item_count, money(payout.total_minor, payout.currency))}
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}

const { formats } = texts.file

function PaymentFileButton({ payout }: { payout: PayoutDetail }) {
  const account = useAccount()
  const queries = useQueryClient()
  const [isConfirming, setConfirming] = useState(false)
  const [format, setFormat] = useState<Format>('bank')
  const offered = (Object.keys(formats) as Format[]).filter(each => each === 'bank' || payout.has_paypal_file)
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setConfirming(false)
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
        onClick={() => setConfirming(true)}
      >
        {texts.file.action}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.file.action}
          confirm={texts.file.confirm(formats[format].title)}
          onClose={() => setConfirming(false)}
          onConfirm={() => void save()}
        >
          <Radio.Group
            label={texts.file.format}
            value={format}
            onChange={value => setFormat(value as Format)}
          >
            <Stack gap="xs" mt="xs">
              {offered.map(each => (
                <Radio key={each} value={each} label={formats[each].title} description={formats[each].note} />
              ))}
            </Stack>
          </Radio.Group>
          <Text size="sm">{texts.file.contents(payout.by_hand)}</Text>
          {payout.status === 'pending' && (
            <Alert color="yellow" variant="light" p="sm">
              {texts.file.consequences}
            </Alert>
          )}
        </ConfirmDialog>
      )}
    </>
  )
}
