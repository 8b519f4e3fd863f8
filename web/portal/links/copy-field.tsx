import { Button, Group, TextInput } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useRef, useState } from 'react'
import { CheckIcon, CopyIcon } from '../../ui/icons.tsx'

const SHOWN_MS = 1500

/** In a frame or without TLS the clipboard API is unavailable; copying the selection still works. */
async function copy(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value)
    return true
  } catch {
    field.select()
    return document.execCommand('copy')
  }
}

/** A read-only field with a copy button. */
export function CopyField({ value, label, copyLabel }: { value: string; label: string; copyLabel: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [isCopied, setIsCopied] = useState(false)
  const copyValue = async () => {
    if (!field.current || !(await copy(field.current))) return
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), SHOWN_MS)
  }
  return (
    <Group gap="xs">
      <TextInput
        ref={field}
        aria-label={label}
        value={value}
        readOnly
        size="md"
        // Wraps when both don't fit side by side: people don't trust a link they can't read in full.
        style={{ flex: '999 1 240px', minWidth: 0 }}
        onFocus={event => event.currentTarget.select()}
      />
      <Button
        size="md"
        px="sm"
        style={{ flexGrow: 1 }}
        onClick={() => void copyValue()}
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        aria-label={copyLabel}
      >
        <span aria-live="polite">{isCopied ? pages.common.copied : pages.common.copy}</span>
      </Button>
    </Group>
  )
}
