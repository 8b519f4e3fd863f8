import { Group, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyButton } from '../shared/copy-button.tsx'

/** A read-only field with a copy button, and more buttons beside it. */
export function CopyField({
  value,
  label,
  copyLabel,
  children,
}: {
  value: string
  label: string
  copyLabel: string
  children?: ReactNode
}) {
  return (
    <Group gap="xs">
      <TextInput
        aria-label={label}
        value={value}
        readOnly
        size="md"
        // Wraps when both don't fit side by side: people don't trust a link they can't read in full.
        style={{ flex: '999 1 240px', minWidth: 0 }}
        onFocus={event => event.currentTarget.select()}
      />
      <CopyButton value={value} label={copyLabel} size="md" px="sm" style={{ flexGrow: 1 }} />
      {children}
    </Group>
  )
}
