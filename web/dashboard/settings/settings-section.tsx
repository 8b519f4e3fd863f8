import { Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A settings page: its title, a note, its actions and its content. */
export function SettingsSection({
  title,
  note,
  action,
  children,
}: {
  title: string
  note?: ReactNode
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" align="flex-start" mb="sm" gap="sm">
        <div style={{ flex: '1 1 260px' }}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {note && (
            <Text c="dimmed" size="sm" component="div">
              {note}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </section>
  )
}

export function SettingsCard({ children }: { children: ReactNode }) {
  return (
    <Paper withBorder p="md" maw={620}>
      {children}
    </Paper>
  )
}
