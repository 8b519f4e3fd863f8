import { ActionIcon, Badge, CopyButton, Text, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { exactTime, money, relativeTime, words } from './format.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'

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

/** An amount in the reader's own writing; what is owed back is red. */
export function Money({ minor, currency }: { minor: number; currency: string }) {
  return (
    <Text
      span
      inherit
      c={minor < 0 ? 'red' : undefined}
      style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}
    >
      {money(minor, currency)}
    </Text>
  )
}

/** Green is done, yellow waits for somebody, red needs a look; the word says it too. */
const colours: Record<string, string> = {
  approved: 'teal',
  paid: 'teal',
  delivered: 'teal',
  active: 'teal',
  sent: 'teal',
  accepted: 'teal',
  pending: 'yellow',
  pending_review: 'yellow',
  processing: 'blue',
  kept: 'blue',
  intended: 'blue',
  partially_paid: 'orange',
  rejected: 'red',
  failed: 'red',
  unclear: 'red',
  refused: 'red',
  void: 'gray',
  canceled: 'gray',
  disabled: 'gray',
  revoked: 'gray',
}

/** A status; `label` where the word alone would not be understood. */
export function Status({ value, label }: { value: string; label?: string }) {
  return (
    <Badge
      variant="light"
      color={colours[value] ?? 'gray'}
      tt="none"
      fw={600}
      autoContrast
      // In a narrow column the word is worth more than the room that it takes.
      miw="max-content"
    >
      {label ?? words(value)}
    </Badge>
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
