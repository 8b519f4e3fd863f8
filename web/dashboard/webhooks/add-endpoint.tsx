import { Alert, Anchor, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { EventKind } from '@tributary/contract'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { texts as shared } from '../shared/en.ts'
import { ShownOnce } from '../shared/shown-once.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { texts } from './en.ts'
import { eventKinds } from './event-text.ts'

const { add: labels } = texts

/** Adds an endpoint, then shows its secret, this one time. */
export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Modal
      opened
      onClose={onClose}
      title={secret ? labels.secretTitle : texts.addEndpoint}
      size="lg"
      // A stray click must not lose the secret.
      closeOnClickOutside={secret === null}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      {secret === null ? (
        <EndpointForm onDone={setSecret} onClose={onClose} />
      ) : (
        <ShownOnce value={secret} name={labels.secretName} onClose={onClose}>
          <div>
            <Text size="sm" mb="xs">
              {labels.verify}
            </Text>
            <SourceText text={labels.exampleCode} label={labels.example} />
            <Text size="sm" c="dimmed" mt="xs">
              <CodeText>{labels.otherLanguages}</CodeText>{' '}
              <Anchor href="/docs#deliveries" inherit underline="always">
                {labels.docs}
              </Anchor>
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
          label={labels.url}
          description={labels.urlHint}
          placeholder={labels.urlExample}
          value={url}
          onChange={event => setUrl(event.currentTarget.value)}
          error={isAboutUrl && problem ? labels.urlProblem(problem.slice('url '.length)) : undefined}
          type="url"
          inputMode="url"
          maxLength={2048}
          required
          data-autofocus
        />
        <Checkbox.Group
          label={labels.events}
          description={labels.eventsHint}
          value={events}
          onChange={setEvents}
          error={events.length === 0 ? labels.noEvents : undefined}
        >
          <Stack gap="xs" mt="xs">
            {eventKinds.map(kind => (
              <Checkbox key={kind} value={kind} label={kind} description={texts.events[kind]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shared.actions.cancel}
          </Button>
          <Button type="submit" loading={add.isPending} disabled={events.length === 0}>
            {texts.addEndpoint}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
