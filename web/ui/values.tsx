import { Badge, Text } from '@mantine/core'
import { money, words } from './format.ts'

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
