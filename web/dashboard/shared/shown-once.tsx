import { Alert, Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from './en.ts'

/** A secret, shown this one time. */
export function ShownOnce({
  value,
  name,
  children,
  onClose,
}: {
  value: string
  /** What it is: "key", "secret", "link". */
  name: string
  children?: ReactNode
  onClose: () => void
}) {
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" title={texts.shownOnce.title}>
        <Text size="sm">{texts.shownOnce.note(name)}</Text>
      </Alert>
      <Text
        component="code"
        data-shown-once
        ff="monospace"
        p="sm"
        bg="var(--mantine-color-default-hover)"
        style={{ overflowWrap: 'anywhere', borderRadius: 8, userSelect: 'all' }}
      >
        {value}
      </Text>
      {children}
      <Group justify="flex-end">
        <CopyButton value={value} timeout={2000}>
          {({ copied, copy }) => (
            <Button variant={copied ? 'light' : 'default'} onClick={copy} data-autofocus>
              {copied ? texts.actions.copied : texts.actions.copy(name)}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{texts.actions.done}</Button>
      </Group>
    </Stack>
  )
}
