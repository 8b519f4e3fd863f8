import { Alert, Button, Center, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from './en.ts'
import { InboxIcon } from './icons.tsx'

/** An empty list: what belongs here, and the next action. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <Center py={48}>
      <Stack align="center" gap="xs" maw={460} ta="center">
        <InboxIcon size={36} />
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed">{children}</Text>
        {action}
      </Stack>
    </Center>
  )
}

/** An error with a retry button. */
export function ErrorNotice({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <Alert color="red" title={texts.states.failed} role="alert" variant="light">
      <Group justify="space-between" align="center">
        <Text size="sm">{error.message}</Text>
        {retry && (
          <Button size="xs" variant="light" color="red" onClick={retry}>
            {texts.actions.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** What is shown until the next response is faded, and marked as busy. */
export const ShownUntilNext = ({ isPast, children }: { isPast: boolean; children: ReactNode }) => (
  <Stack gap="md" aria-busy={isPast} style={{ opacity: isPast ? 0.6 : 1 }}>
    {children}
  </Stack>
)

/** The header of a page: its title, a note and its actions. */
export function PageHead({
  title,
  children,
  note,
}: {
  title: string
  children?: ReactNode
  note?: ReactNode
}) {
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      {/* Shares its line with the buttons while the note has room for a few words. */}
      <div style={{ flex: '1 1 16rem', minWidth: 0 }}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {note && (
          <Text c="dimmed" size="sm" mt={2} component="div">
            {note}
          </Text>
        )}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}
