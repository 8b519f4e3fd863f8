import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useReturnsFocus } from './returns-focus.ts'

/** Asks once more before something that cannot simply be taken back, and says what will follow. */
export function ConfirmDialog({
  title,
  confirm,
  colour,
  children,
  onConfirm,
  onClose,
}: {
  title: string
  /** What the button does, in words. */
  confirm: string
  colour?: string | undefined
  children: ReactNode
  onConfirm: () => void
  onClose: () => void
}) {
  useReturnsFocus()
  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="sm">
        {children}
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {/* The lighter red of the dark scheme would not carry white letters. */}
          <Button color={colour === 'red' ? 'red.9' : colour} onClick={onConfirm} data-autofocus>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
