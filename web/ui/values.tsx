import { Badge, Text } from '@mantine/core'
import { money, words } from './format.ts'

/** An amount in the reader's locale; negative amounts are red. */
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

/** Green is done, yellow needs a decision, red needs attention; the label says it too. */
const colours: Record<string, string> = {
  approved: 'teal',
  paid: 'teal',
  delivered: 'teal',
  active: 'teal',
  sent: 'teal',
  accepted: 'teal',
  pending: 'yellow',
  paused: 'yellow',
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
  archived: 'gray',
  revoked: 'gray',
}

/** A status badge; `label` where the status name alone isn't clear. */
export function Status({ value, label }: { value: string; label?: string }) {
  return (
    <Badge
      variant="light"
      color={colours[value] ?? 'gray'}
      tt="none"
      fw={600}
      autoContrast
      // Never truncated, even in a narrow column.
      miw="max-content"
    >
      {label ?? words(value)}
    </Badge>
  )
}
