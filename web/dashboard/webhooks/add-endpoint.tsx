import { Alert, Anchor, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { EventKind } from '@tributary/contract'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { ShownOnce } from '../shared/shown-once.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { eventKinds, eventWords } from './event-words.ts'

const VERIFY = `import { verifyWebhook } from '@tributary/sdk'

// The body as it came, before anything parses it.
const event = await verifyWebhook(await request.text(), request.headers, secret)`

/** Subscribes an address, and then shows its secret in the only moment in which anybody sees it. */
export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Modal
      opened
      onClose={onClose}
      title={secret ? 'The signing secret' : 'Add an endpoint'}
      size="lg"
      // A slip of the mouse must not lose the secret.
      closeOnClickOutside={secret === null}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {secret === null ? (
        <EndpointForm onDone={setSecret} onClose={onClose} />
      ) : (
        <ShownOnce value={secret} name="secret" onClose={onClose}>
          <div>
            <Text size="sm" mb="xs">
              Every delivery is signed with it. Check the signature before you believe a delivery:
            </Text>
            <SourceText text={VERIFY} label="example" />
            <Text size="sm" c="dimmed" mt="xs">
              In other languages: an HMAC-SHA256 of <code>t.body</code> with the whole secret, compared with{' '}
              <code>v1</code> of the header <code>Tributary-Signature</code>. Libraries for Standard Webhooks
              work too. <Anchor href="/docs#deliveries">More in the documentation</Anchor>
            </Text>
          </div>
        </ShownOnce>
      )}
    </Modal>
  )
}

function EndpointForm({ onDone, onClose }: { onDone: (secret: string) => void; onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<string[]>(eventKinds)
  const add = useChange('createWebhookEndpoint', { onDone: made => onDone(made.secret), isQuiet: true })
  const problem = add.error?.message
  const isAboutUrl = problem?.startsWith('url ')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        add.mutate({ body: { url: url.trim(), events: events as EventKind[] } })
      }}
    >
      <Stack>
        {problem && !isAboutUrl && (
          <Alert color="red" role="alert" variant="light">
            {problem}
          </Alert>
        )}
        <TextInput
          label="URL"
          description="Where events are sent, by POST. It must answer 200."
          placeholder="https://example.com/webhooks/tributary"
          value={url}
          onChange={event => setUrl(event.currentTarget.value)}
          error={isAboutUrl ? `The URL ${problem?.slice('url '.length)}` : undefined}
          type="url"
          inputMode="url"
          maxLength={2048}
          required
          data-autofocus
        />
        <Checkbox.Group
          label="Events"
          description="What it is told of."
          value={events}
          onChange={setEvents}
          error={events.length === 0 ? 'Choose at least one.' : undefined}
        >
          <Stack gap="xs" mt="xs">
            {eventKinds.map(kind => (
              <Checkbox key={kind} value={kind} label={kind} description={eventWords[kind]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={events.length === 0}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
