import { Text } from '@mantine/core'
import type { ReviewKind } from '../shared/review-dialog.tsx'
import { consequences, type Reviewed } from './review-words.ts'

export const commissionReview: ReviewKind<Reviewed, 'reviewCommissions'> = {
  route: 'reviewCommissions',
  noun: 'commission',
  decisions: { approved: { verb: 'Approve', colour: undefined }, void: { verb: 'Void', colour: 'red' } },
  isOpen: ({ status }) => status === 'pending',
  closed: 'not pending',
  consequences: (rows, decision) => <Text size="sm">{consequences(rows, decision)}</Text>,
}
