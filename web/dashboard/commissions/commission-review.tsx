import { Text } from '@mantine/core'
import { texts as sharedTexts } from '../shared/en.ts'
import type { ReviewKind } from '../shared/review-dialog.tsx'
import { texts } from './en.ts'
import { consequencesText, type Reviewed } from './review-text.ts'

const { nouns, verbs } = sharedTexts.review

export const commissionReview: ReviewKind<Reviewed, 'reviewCommissions'> = {
  route: 'reviewCommissions',
  noun: nouns.commission,
  decisions: {
    approved: { verb: verbs.approved, colour: undefined },
    void: { verb: verbs.void, colour: 'red' },
  },
  isOpen: ({ status }) => status === 'pending',
  closed: texts.review.closed,
  consequences: (rows, decision) => <Text size="sm">{consequencesText(rows, decision)}</Text>,
}
