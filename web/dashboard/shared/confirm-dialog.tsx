import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from './en.ts'
import { useReturnsFocus } from './returns-focus.ts'

/** Confirms an action that can't simply be undone, and states its consequences. */
export function ConfirmDialog({
  title,
  confirm,
  cancel = texts.actions.cancel,
  colour,
  children,
  onConfirm,
  onClose,
}: {
  title: string
  /** The label of the confirm button: what it does. */
  confirm: string
  /** The label of the other button, where "Cancel" would be ambiguous. */
  cancel?: string
  colour?: string | undefined
  children: ReactNode
  onConfirm: () => void
  onClose: () => void
}) {
  useReturnsFocus()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': texts.actions.close }}
    >
      <Stack gap="sm">
        {children}
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={onClose}>
            {cancel}
          </Button>
          {/* The dark scheme's lighter red has too little contrast for white text. */}
          <Button color={colour === 'red' ? 'red.9' : colour} onClick={onConfirm} data-autofocus>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
