import { ActionIcon, CopyButton, Text, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { dateAndTime, shortDate } from '../../ui/format.ts'
import { CheckIcon, CopyIcon } from '../../ui/icons.tsx'
import { texts } from './en.ts'
import { exactTime, relativeTime } from './time.ts'

/** A date, with the exact and the relative time in a tooltip. `withTime` adds the time of day, for logs. */
export function When({ time, withTime = false }: { time: string | null; withTime?: boolean }) {
  if (time === null)
    return (
      <Text span c="dimmed" inherit>
        {texts.time.never}
      </Text>
    )
  return (
    <Tooltip label={texts.time.exact(exactTime(time), relativeTime(time))}>
      <time dateTime={time} tabIndex={-1} style={{ whiteSpace: 'nowrap' }}>
        {withTime ? dateAndTime(time) : shortDate(time)}
      </time>
    </Tooltip>
  )
}

/** A value with a copy button. */
export function Copy({ value, label, children }: { value: string; label: string; children?: ReactNode }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4, maxWidth: '100%' }}>
          {children}
          <Tooltip label={copied ? texts.actions.copied : label}>
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
