import { Button, type ButtonProps } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { CheckIcon, CopyIcon } from '../../ui/icons.tsx'

const SHOWN_MS = 1500

/** In a frame or without TLS the clipboard API is unavailable; copying a selection still works. */
async function copy(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = value
    field.style.position = 'fixed'
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}

/** Copies a value, and shows that it did. */
export function CopyButton({
  value,
  label,
  text = pages.common.copy,
  ...props
}: { value: string; label: string; text?: string } & ButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  const copyValue = async () => {
    if (!(await copy(value))) return
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), SHOWN_MS)
  }
  return (
    <Button
      {...props}
      onClick={() => void copyValue()}
      leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
      aria-label={label}
    >
      <span aria-live="polite">{isCopied ? pages.common.copied : text}</span>
    </Button>
  )
}
