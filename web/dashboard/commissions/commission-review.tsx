import { Text } from '@mantine/core'
import { texts as sharedTexts } from '../shared/en.ts'
import type { ReviewKind } from '../shared/review-dialog.tsx'
import { consequencesText, type Reviewed, refusalOf } from './review-text.ts'

const { nouns, verbs } = sharedTexts.review

export const commissionReview: ReviewKind<Reviewed, 'reviewCommissions'> = {
  route: 'reviewCommissions',
  noun: nouns.commission,
  decisions: {
    approved: { verb: verbs.approved, colour: undefined },
    void: { verb: verbs.void, colour: 'red', asksReason: true },
  },
  refusal: refusalOf,
  // The row of a pending commission can't carry a reason; the clawback of an approved one does.
  sharesReason: rows => rows.some(({ status }) => status === 'approved'),
  consequences: (rows, decision) => <Text size="sm">{consequencesText(rows, decision)}</Text>,
}
