import { Paper, Table, Text } from '@mantine/core'
import type { PayoutDetail, PayoutSubmission } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { submissionWords } from './payout-words.ts'

/** The batches of a payout at PayPal: how each stands, what went wrong, and what that asks of anybody. */
export function PayoutSubmissions({ payout }: { payout: PayoutDetail }) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={640}>
        <Table aria-label="Batches at PayPal">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Batch</Table.Th>
              <Table.Th ta="right">Items</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>What it means</Table.Th>
              <Table.Th>Asked again</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {payout.submissions.map(submission => (
              <SubmissionRow
                key={submission.id}
                submission={submission}
                hasEnded={payout.status !== 'processing'}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function SubmissionRow({ submission, hasEnded }: { submission: PayoutSubmission; hasEnded: boolean }) {
  const { title, meaning } = submissionWords(submission, hasEnded)
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td>
        <Copy value={submission.sender_batch_id} label="Copy the batch’s name">
          {submission.sender_batch_id}
        </Copy>
        {submission.external_id && (
          <Text size="xs" c="dimmed">
            <Copy value={submission.external_id} label="Copy PayPal’s name">
              PayPal’s name {submission.external_id}
            </Copy>
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{count(submission.items)}</Table.Td>
      <Table.Td>
        <Status value={submission.account_changed ? 'unclear' : submission.status} label={title} />
      </Table.Td>
      <Table.Td maw={420}>
        <Text size="sm">{meaning}</Text>
        {/* Of another account the words above say it all. */}
        {submission.problem && !submission.account_changed && (
          <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
            {submission.problem}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <AskedAgain dueAt={submission.due_at} />
      </Table.Td>
    </Table.Tr>
  )
}

const MINUTE_MS = 60_000

function AskedAgain({ dueAt }: { dueAt: string | null }) {
  if (dueAt === null) return 'no more'
  return Date.parse(dueAt) - Date.now() < MINUTE_MS ? 'within a minute' : <When time={dueAt} />
}
