import { Radio, Stack, Text } from '@mantine/core'
import type { DashboardBody, Signal } from '@tributary/contract/dashboard'
import { type SignalDecision, signalDecisions } from '@tributary/contract/dashboard/signal-kinds'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { ReasonFields } from '../shared/reason-fields.tsx'
import { texts } from './en.ts'
import { SignalEvidence } from './signal-evidence.tsx'

const { dialog } = texts

/** What can still change something: who is held is not held again, and without referrals in review there is none to reject. */
const choicesFor = ({ is_held, in_review }: Signal): SignalDecision[] =>
  signalDecisions.filter(each => (each === 'hold' ? !is_held : each !== 'reject' || in_review > 0))

const isShared = (decision: SignalDecision) => decision === 'reject' || decision === 'block'

/** Chooses what to do about a signal, with its evidence in view. */
export function DecideSignal({ signal, onClose }: { signal: Signal; onClose: () => void }) {
  const choices = choicesFor(signal)
  const [decision, setDecision] = useState<SignalDecision>('dismiss')
  const [reason, setReason] = useState('')
  const [shares, setShares] = useState(false)
  const decide = useChange('decideSignal', {
    done: ({ rejected, left }) => (left ? texts.more(rejected) : texts.decided[decision]),
  })
  /** A request rejects a bounded number of referrals, so it is repeated until none is left. An error ends it; the page shows the rest. */
  const decideAll = async (body: DashboardBody<'decideSignal'>) => {
    while ((await decide.mutateAsync({ id: signal.id, body })).left);
  }
  const verb = (each: SignalDecision) =>
    each === 'reject' ? dialog.rejectSome(signal.in_review) : dialog.verbs[each]
  return (
    <ConfirmDialog
      title={dialog.title(texts.kinds[signal.kind], signal.affiliate_name ?? signal.affiliate_email)}
      confirm={verb(decision)}
      colour={isShared(decision) ? 'red' : undefined}
      onClose={onClose}
      onConfirm={() => {
        const text = reason.trim()
        decideAll({
          decision,
          // Those that arrive after the page was loaded were not seen.
          ...(decision === 'reject' &&
            signal.newest_in_review !== null && { up_to_referral_id: signal.newest_in_review }),
          ...(text && { reason: text }),
          ...(text && isShared(decision) && { share_reason: shares }),
          // The error is shown by the change itself.
        }).catch(() => undefined)
        onClose()
      }}
    >
      <SignalEvidence signal={signal} />
      <Radio.Group
        label={dialog.action}
        value={decision}
        onChange={value => setDecision(signalDecisions.find(each => each === value) ?? 'dismiss')}
      >
        <Stack gap="xs" mt={4}>
          {choices.map(each => (
            <Radio key={each} value={each} label={verb(each)} />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" aria-live="polite">
        {dialog.consequences[decision]}
      </Text>
      <ReasonFields
        reason={reason}
        onReason={setReason}
        canBeShared={isShared(decision)}
        isShared={shares}
        onShared={setShares}
      />
    </ConfirmDialog>
  )
}
