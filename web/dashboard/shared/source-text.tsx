import { Box, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from './en.ts'
import { Copy } from './facts.tsx'

/** Source text, character for character: it wraps, scrolls when long, and has a copy button. */
export function SourceText({ text, label, tools }: { text: string; label: string; tools?: ReactNode }) {
  return (
    <Box>
      <Group justify="space-between" mb={4} gap="xs">
        {tools ?? <span />}
        <Copy value={text} label={texts.actions.copy(label)} />
      </Group>
      <Box
        component="pre"
        // Focusable, so that it can be scrolled with the keyboard.
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
