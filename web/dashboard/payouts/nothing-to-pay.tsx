import { Alert, List } from '@mantine/core'
import type { PayoutPreviewPage, TestPayouts } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { PageLink } from '../shared/named-links.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.nothingToPay

/** Why a first payout is empty, with the campaign's own terms: most often its hold or its minimum. */
export function NothingToPay({ first, terms }: { first: PayoutPreviewPage; terms: TestPayouts }) {
  const { excluded } = first
  const reasons = [
    excluded.on_hold && terms.hold_days > 0 && texts.hold(terms.hold_days),
    excluded.below_minimum && texts.minimum(money(first.minimum_payout_minor, first.currency)),
    excluded.test_only && texts.tests,
    excluded.not_approved && texts.notApproved,
  ].filter(reason => typeof reason === 'string')
  if (first.items > 0 || reasons.length === 0) return null
  return (
    <Alert color="blue" variant="light" title={texts.title}>
      <List size="sm" spacing={4}>
        {reasons.map(reason => (
          <List.Item key={reason}>{reason}</List.Item>
        ))}
      </List>
      <PageLink to={`campaigns/${first.campaign_id}`} inText>
        {texts.change}
      </PageLink>
    </Alert>
  )
}
