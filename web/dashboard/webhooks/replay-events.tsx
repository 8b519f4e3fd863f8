import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { WebhookEndpointSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { count } from '../../ui/format.ts'
import { useChange } from '../shared/account.tsx'
import { asFieldValue } from '../shared/days.ts'

/** Sends everything since a moment once more: what an endpoint missed while it was off or broken. */
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
    done: ({ deliveries }) =>
      deliveries === 0
        ? 'Nothing that it subscribes to happened since then.'
        : `${count(deliveries)} ${deliveries === 1 ? 'event is on its' : 'events are on their'} way.`,
    onDone: onClose,
  })
  return (
    <Modal opened onClose={onClose} title="Replay events" closeButtonProps={{ 'aria-label': 'Close' }}>
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
            Everything that <code>{endpoint.url}</code> subscribes to and that happened since then is sent
            once more, also what it has received already: receivers tell repetitions by the event’s{' '}
            <code>id</code>.
          </Text>
          <TextInput
            type="datetime-local"
            label="Since"
            description="In your own time zone"
            value={since}
            onChange={event => setSince(event.currentTarget.value)}
            required
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={replay.isPending} disabled={!isTime}>
              Replay
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
