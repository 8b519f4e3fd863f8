import { Alert, Button, Code, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { MailTemplate } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useAccount, useChange } from '../shared/account.tsx'
import { call } from '../shared/api.ts'
import { texts as shared } from '../shared/en.ts'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { texts } from './en.ts'

const { emailTexts: labels } = texts

/** Changes the text of one email. The preview comes from the server, which renders it as it renders the email. */
export function EditEmailText({ template, onClose }: { template: MailTemplate; onClose: () => void }) {
  useReturnsFocus()
  const account = useAccount()
  const [subject, setSubject] = useState(template.subject)
  const [body, setBody] = useState(template.body)
  const { kind } = template
  const preview = useMutation({
    mutationFn: () => call(account.id, 'setMailTemplate', { body: { kind, subject, body, dry_run: true } }),
  })
  const save = useChange('setMailTemplate', { isQuiet: true, done: labels.saved, onDone: onClose })
  const reset = useChange('resetMailTemplate', { done: labels.resetDone, onDone: onClose })
  const problem = save.error ?? preview.error
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.email.kinds[kind].label}
      size="lg"
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate({ body: { kind, subject, body, dry_run: false } })
        }}
      >
        <Stack gap="sm">
          {problem && (
            <Alert color="red" role="alert" variant="light">
              {problem.message}
            </Alert>
          )}
          {labels.appliesTo[kind] && (
            <Text size="sm" c="dimmed">
              {labels.appliesTo[kind]}
            </Text>
          )}
          <TextInput
            label={labels.subject}
            value={subject}
            onChange={event => setSubject(event.currentTarget.value)}
            maxLength={200}
            required
            data-autofocus
          />
          <Textarea
            label={labels.body}
            description={labels.bodyHint}
            value={body}
            onChange={event => setBody(event.currentTarget.value)}
            autosize
            minRows={6}
            maxRows={16}
            maxLength={5000}
            required
          />
          <Group gap="xs">
            <Text size="sm">{labels.variables}</Text>
            {template.variables.map(name => (
              <Code key={name}>{`{{${name}}}`}</Code>
            ))}
          </Group>
          {preview.data && (
            <div>
              <Text size="sm" fw={600} mb={4}>
                {preview.data.subject}
              </Text>
              {/* Sandboxed: no scripts, no forms, no navigation out of the frame. */}
              <iframe
                title={labels.previewOf(preview.data.subject)}
                srcDoc={preview.data.html}
                sandbox=""
                style={{ width: '100%', height: 300, border: 0, borderRadius: 8, background: '#fff' }}
              />
            </div>
          )}
          <Group justify="space-between">
            <Button variant="default" loading={preview.isPending} onClick={() => preview.mutate()}>
              {labels.preview}
            </Button>
            <Group gap="xs">
              {template.changed_at && (
                <Button
                  variant="subtle"
                  loading={reset.isPending}
                  onClick={() => reset.mutate({ body: { kind } })}
                >
                  {labels.reset}
                </Button>
              )}
              <Button type="submit" loading={save.isPending}>
                {labels.save}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
