import { Box, Center, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from './en.ts'

/** A single-card page for visitors who are not signed in. */
export function CardPage({
  title,
  note,
  children,
}: {
  title: string
  note?: ReactNode
  children: ReactNode
}) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={400}>
        <Stack align="center" gap={6} mb="lg">
          <img src="/assets/favicon.svg" alt="" width={44} height={44} />
          <Text fw={650}>{texts.product}</Text>
        </Stack>
        <Paper withBorder p="xl" shadow="xs">
          <Title order={1} size="h3" mb={note ? 4 : 'md'}>
            {title}
          </Title>
          {note && (
            <Text c="dimmed" size="sm" mb="md">
              {note}
            </Text>
          )}
          {children}
        </Paper>
      </Box>
    </Center>
  )
}
