import { Text } from '@mantine/core'
import type { ReferralSummary } from '@tributary/contract/dashboard'
import { shortDate } from '../../ui/format.ts'
import { When } from '../shared/facts.tsx'
import { texts } from './en.ts'

/** When it was reported, by which lists are filtered and sorted; and the conversion's date, if that was another day. */
export function Reported({
  row: { created_at, occurred_at },
}: {
  row: Pick<ReferralSummary, 'created_at' | 'occurred_at'>
}) {
  return (
    <>
      <When time={created_at} />
      {shortDate(created_at) !== shortDate(occurred_at) && (
        <Text size="xs" c="dimmed">
          {texts.detail.converted} <When time={occurred_at} />
        </Text>
      )}
    </>
  )
}
