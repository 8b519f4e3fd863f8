import { Box, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy } from './facts.tsx'

/** A text as machines write it, character for character: it wraps, scrolls when it is long, and can be taken along whole. */
export function SourceText({ text, label, tools }: { text: string; label: string; tools?: ReactNode }) {
  return (
    <Box>
      <Group justify="space-between" mb={4} gap="xs">
        {tools ?? <span />}
        <Copy value={text} label={`Copy ${label}`} />
      </Group>
      <Box
        component="pre"
        // Within reach of the keyboard, so that it can be scrolled without a mouse.
        tabIndex={0}
        role="region"
        aria-label={label}
        p="sm"
        m={0}
        fz="xs"
        mah={360}
        bg="var(--mantine-color-default-hover)"
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', borderRadius: 8 }}
      >
        {text}
      </Box>
    </Box>
  )
}
