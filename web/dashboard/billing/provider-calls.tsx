import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ConnectorSummary } from '@tributary/contract/dashboard'
import type { ReactNode } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { Status } from '../../ui/values.tsx'
import { relativeTime } from '../shared/time.ts'
import { texts } from './en.ts'

/** What we change at the provider, which takes an API key. */
export function ProviderCalls({
  connector,
  labels,
  actions,
  children,
}: {
  connector: ConnectorSummary
  labels: { title: string; note: string; needsKey: string }
  actions: ReactNode
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h4">
          {labels.title}
        </Title>
        {connector.has_api_key && <Group gap="xs">{actions}</Group>}
      </Group>
      <Text size="sm" mb="md" maw={720}>
        {connector.has_api_key ? labels.note : labels.needsKey}
      </Text>
      {connector.has_api_key && <Stack gap="md">{children}</Stack>}
    </Paper>
  )
}

/** The state of a change: if it failed, why, and when it is tried again. */
export function CallOutcome({
  status,
  label,
  problem,
  nextAttemptAt,
}: {
  status: string
  label: string
  problem: string | null
  nextAttemptAt: string | null
}) {
  return (
    <>
      <Status value={status} label={label} />
      {problem !== null && (
        <Text size="sm">
          <Breakable>{problem}</Breakable>
        </Text>
      )}
      {problem !== null && nextAttemptAt !== null && (
        <Text size="xs" c="dimmed">
          {texts.nextAttempt(relativeTime(nextAttemptAt))}
        </Text>
      )}
    </>
  )
}
