import { Button, Group, TextInput } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useRef, useState } from 'react'
import { CheckIcon, CopyIcon } from '../../ui/icons.tsx'

const SHOWN_MS = 1500

/** In a frame, and without TLS, browsers keep the clipboard to themselves; what is selected can be copied there too. */
async function copy(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value)
    return true
  } catch {
    field.select()
    return document.execCommand('copy')
  }
}

/** Something to be taken elsewhere: it can be read, selected, and copied at a tap. */
export function CopyField({ value, label, copyLabel }: { value: string; label: string; copyLabel: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [isCopied, setIsCopied] = useState(false)
  const take = async () => {
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
        // Where both do not fit side by side, each has a line: nobody trusts a link that they cannot read.
        style={{ flex: '999 1 240px', minWidth: 0 }}
        onFocus={event => event.currentTarget.select()}
      />
      <Button
        size="md"
        px="sm"
        style={{ flexGrow: 1 }}
        onClick={() => void take()}
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        aria-label={copyLabel}
      >
        <span aria-live="polite">{isCopied ? pages.common.copied : pages.common.copy}</span>
      </Button>
    </Group>
  )
}
