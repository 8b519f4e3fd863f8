import { Paper, Table, Text } from '@mantine/core'
import type { PayoutDetail, PayoutSubmission } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { Copy, When } from '../shared/facts.tsx'
import { texts as areaTexts } from './en.ts'
import { submissionText } from './payout-text.ts'

const texts = areaTexts.batches

/** The PayPal batches of a payout: the status of each, any error, and what the user has to do. */
export function PayoutSubmissions({ payout }: { payout: PayoutDetail }) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={640}>
        <Table aria-label={areaTexts.detail.batches}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.columns.batch}</Table.Th>
              <Table.Th ta="right">{texts.columns.payments}</Table.Th>
              <Table.Th>{sharedTexts.fields.status}</Table.Th>
              <Table.Th>{texts.columns.details}</Table.Th>
              <Table.Th>{texts.columns.nextCheck}</Table.Th>
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
  const { title, meaning } = submissionText(submission, hasEnded)
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td>
        <Copy value={submission.sender_batch_id} label={texts.copyId}>
          {submission.sender_batch_id}
        </Copy>
        {submission.external_id && (
          <Text size="xs" c="dimmed">
            <Copy value={submission.external_id} label={texts.copyPayPalId}>
              {texts.payPalId(submission.external_id)}
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
        {/* After a change of account, the text above already covers it. */}
        {submission.problem && !submission.account_changed && (
          <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
            {submission.problem}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <NextCheck dueAt={submission.due_at} />
      </Table.Td>
    </Table.Tr>
  )
}

const MINUTE_MS = 60_000

function NextCheck({ dueAt }: { dueAt: string | null }) {
  if (dueAt === null) return texts.noCheck
  return Date.parse(dueAt) - Date.now() < MINUTE_MS ? texts.soon : <When time={dueAt} withTime />
}
