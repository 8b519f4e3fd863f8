import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Day } from './day.tsx'

/**
 * A list row: title and amount, then details and status below. The second line spans the full width, so a long amount leaves
 * room for a long name.
 */
export function Row({
  title,
  amount,
  about,
  time,
  status,
  children,
}: {
  title: ReactNode
  amount: ReactNode
  about: (string | null | undefined)[]
  time?: string
  status?: ReactNode
  children?: ReactNode
}) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fw={600} style={{ minWidth: 0 }}>
          {title}
        </Text>
        <Text fw={600} className="number" style={{ textAlign: 'right', flexShrink: 0, maxWidth: '70%' }}>
          {amount}
        </Text>
      </Group>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mt={2}>
        <Text size="sm" c="dimmed" className="pieces" style={{ minWidth: 0 }}>
          {about.filter(Boolean).map(piece => (
            <span key={piece}>{piece}</span>
          ))}
          {time && (
            <span>
              <Day time={time} />
            </span>
          )}
        </Text>
        {status}
      </Group>
      {children}
    </>
  )
}
