import { Checkbox, Textarea } from '@mantine/core'
import { texts } from './en.ts'

const LONGEST_REASON = 1000

/** Why something is decided, and whether the affiliate sees it, if that can be chosen. */
export function ReasonFields(props: {
  reason: string
  onReason: (reason: string) => void
  canBeShared: boolean
  isShared: boolean
  onShared: (isShared: boolean) => void
}) {
  return (
    <>
      <Textarea
        label={texts.review.reason}
        description={texts.review.reasonHint}
        value={props.reason}
        maxLength={LONGEST_REASON}
        autosize
        minRows={2}
        onChange={event => props.onReason(event.currentTarget.value)}
      />
      {props.canBeShared && (
        <Checkbox
          label={texts.review.shareReason}
          checked={props.isShared}
          disabled={props.reason.trim() === ''}
          onChange={event => props.onShared(event.currentTarget.checked)}
        />
      )}
    </>
  )
}
