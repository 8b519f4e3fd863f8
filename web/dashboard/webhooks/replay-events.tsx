import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { WebhookEndpointSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { asFieldValue } from '../shared/days.ts'
import { texts as shared } from '../shared/en.ts'
import { texts } from './en.ts'

const { replay: labels } = texts

/** Sends all events since a time again, for an endpoint that was disabled or failing. */
export function ReplayEvents({
  endpoint,
  onClose,
}: {
  endpoint: WebhookEndpointSummary
  onClose: () => void
}) {
  const anHourAgo = new Date(Date.now() - 3_600_000)
  const start = endpoint.failing_since ? new Date(endpoint.failing_since) : anHourAgo
  const [since, setSince] = useState(asFieldValue(start))
  const moment = new Date(since)
  const isTime = !Number.isNaN(moment.getTime())
  const replay = useChange('replayEvents', {
    isQuiet: true,
    done: ({ deliveries }) => (deliveries === 0 ? labels.none : labels.done(deliveries)),
    onDone: onClose,
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={labels.title}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          replay.mutate({ id: endpoint.id, body: { since: moment.toISOString() } })
        }}
      >
        <Stack>
          {replay.error && (
            <Alert color="red" role="alert" variant="light">
              {replay.error.message}
            </Alert>
          )}
          <Text size="sm">
            <CodeText>{labels.note(endpoint.url)}</CodeText>
          </Text>
          <TextInput
            type="datetime-local"
            label={labels.since}
            description={labels.sinceHint}
            value={since}
            onChange={event => setSince(event.currentTarget.value)}
            required
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" loading={replay.isPending} disabled={!isTime}>
              {labels.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
