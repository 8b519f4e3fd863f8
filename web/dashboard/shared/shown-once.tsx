import { Alert, Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A secret in the only moment in which anybody gets to see it. */
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
      <Alert color="yellow" variant="light" title="Copy it now">
        <Text size="sm">This {name} is shown only this once. Keep it where other secrets are kept.</Text>
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
              {copied ? 'Copied' : `Copy ${name}`}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
