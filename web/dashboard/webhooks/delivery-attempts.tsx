import { Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import type { SentAttempt } from '@tributary/contract/dashboard'
import { Status } from '../../ui/values.tsx'
import { When } from '../shared/facts.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { texts } from './en.ts'
import { attemptText, durationText, failureText } from './event-text.ts'

const { delivery: labels } = texts

/** Every attempt of a delivery with its response, the latest first. */
export function DeliveryAttempts({ attempts }: { attempts: SentAttempt[] }) {
  return (
    <Stack gap="md">
      {attempts.toReversed().map(attempt => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </Stack>
  )
}

function Attempt({ attempt }: { attempt: SentAttempt }) {
  const { number, started_at, duration_ms, response_body, error_stage, error, headers } = attempt
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.attempt(number)}>
      <Group gap="sm" mb="xs">
        <Title order={3} size="h5">
          {texts.attempt(number)}
        </Title>
        <Status value={error_stage === null ? 'delivered' : 'failed'} label={attemptText(attempt)} />
        <Text size="sm" c="dimmed">
          <When time={started_at} withTime /> · {durationText(duration_ms)}
        </Text>
      </Group>
      {error_stage && (
        <Text size="sm" mb="xs">
          {failureText(error_stage)} {error && error_stage !== 'status' && <code>{error}</code>}
        </Text>
      )}
      {response_body ? (
        <SourceText
          text={response_body}
          label={labels.responseName(number)}
          tools={
            <Text size="sm" c="dimmed">
              {labels.response}
            </Text>
          }
        />
      ) : (
        <Text size="sm" c="dimmed">
          {attempt.response_status === null ? labels.noResponse : labels.emptyResponse}
        </Text>
      )}
      <SentHeaders headers={headers} number={number} />
    </Paper>
  )
}

function SentHeaders({ headers, number }: { headers: SentAttempt['headers']; number: number }) {
  const isSigned = headers.some(([name]) => name === 'tributary-signature')
  return (
    <details style={{ marginTop: 12 }}>
      <summary>
        <Text span size="sm">
          {labels.requestHeaders}
        </Text>
      </summary>
      <Table.ScrollContainer minWidth={320} mt="xs">
        <Table aria-label={labels.headersOf(number)} fz="xs" withRowBorders={false}>
          <Table.Tbody>
            {headers.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500} c="dimmed" w={{ base: 150, sm: 200 }}>
                  {name}
                </Table.Th>
                <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {value}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {!isSigned && (
        <Text size="xs" c="dimmed" mt="xs">
          {labels.signaturesHidden}
        </Text>
      )}
    </details>
  )
}
