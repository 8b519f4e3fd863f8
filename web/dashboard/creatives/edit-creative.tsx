import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Creative } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { NameField, TextField } from './creative-fields.tsx'
import { texts } from './en.ts'

export function EditCreative({
  creative: { id, kind, ...before },
  onClose,
}: {
  creative: Creative
  onClose: () => void
}) {
  useReturnsFocus()
  const [name, setName] = useState(before.name)
  const [text, setText] = useState(before.text ?? '')
  const save = useChange('updateCreative', { done: texts.saved, onDone: onClose, isQuiet: true })
  const changes = {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(kind === 'text' && text !== before.text && { text }),
  }
  const isComplete = name.trim() !== '' && (kind !== 'text' || text.trim() !== '')
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.editTitle}
      size="lg"
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          save.mutate({ id, body: changes })
        }}
      >
        <Stack>
          {save.error && (
            <Alert color="red" role="alert" variant="light">
              {save.error.message}
            </Alert>
          )}
          <NameField kind={kind} value={name} onChange={setName} />
          {kind === 'text' ? (
            <TextField value={text} onChange={setText} />
          ) : (
            <Text size="sm" c="dimmed">
              {texts.fileKept}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={!isComplete || Object.keys(changes).length === 0}
            >
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
