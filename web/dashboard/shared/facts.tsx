import { ActionIcon, CopyButton, Text, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { CheckIcon, CopyIcon } from '../../ui/icons.tsx'
import { exactTime, relativeTime } from './time.ts'

/** A time as people say it, with the exact one on hover and for screen readers. */
export function When({ time }: { time: string | null }) {
  if (time === null)
    return (
      <Text span c="dimmed" inherit>
        never
      </Text>
    )
  return (
    <Tooltip label={exactTime(time)}>
      <time dateTime={time} tabIndex={-1} style={{ whiteSpace: 'nowrap' }}>
        {relativeTime(time)}
      </time>
    </Tooltip>
  )
}

/** A value to be taken elsewhere. */
export function Copy({ value, label, children }: { value: string; label: string; children?: ReactNode }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4, maxWidth: '100%' }}>
          {children}
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon
              variant="subtle"
              size="sm"
              color={copied ? 'teal' : 'gray'}
              onClick={copy}
              aria-label={label}
            >
              {copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
            </ActionIcon>
          </Tooltip>
        </span>
      )}
    </CopyButton>
  )
}
