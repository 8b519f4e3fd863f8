import { Alert, Button, Center, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { pages as texts } from '@tributary/contract/portal/texts'
import { type ReactNode, useEffect } from 'react'
import { look } from './look.ts'
import { goOnClick, hrefOf } from './router.tsx'

/** Sets the title shown in browser tabs and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${look.name}`
  }, [title])
}

/** The title and description of a page. */
export function PageHead({ title, text }: { title: string; text?: string }) {
  useTitle(title)
  return (
    <header style={{ marginBottom: 16 }}>
      <Title order={1} size="h2">
        {title}
      </Title>
      {text && <Text c="dimmed">{text}</Text>}
    </header>
  )
}

export const Card = ({ children }: { children: ReactNode }) => (
  <Paper withBorder p="md" radius="md">
    {children}
  </Paper>
)

export function Problem({ error, retry }: { error: Error; retry?: () => unknown }) {
  return (
    <Alert color="red" title={texts.common.failed} role="alert" my="md">
      <Group justify="space-between">
        <Text size="sm">{error.message}</Text>
        {retry && (
          <Button size="xs" variant="light" color="red" onClick={() => retry()}>
            {texts.common.retry}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** An empty state: what belongs here, and the next action. */
export function Empty({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  return (
    <Card>
      <Stack align="center" ta="center" py="lg" gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {text && (
          <Text c="dimmed" maw={420}>
            {text}
          </Text>
        )}
        {action}
      </Stack>
    </Card>
  )
}

export const Loading = () => (
  <Center py="xl">
    <Loader role="status" aria-label={texts.common.loading} />
  </Center>
)

export const GoButton = ({ to, children }: { to: string; children: ReactNode }) => (
  <Button component="a" href={hrefOf(to)} onClick={goOnClick(to)} variant="light">
    {children}
  </Button>
)

export const NotFound = () => (
  <>
    <PageHead title={texts.common.notFound} text={texts.common.notFoundText} />
    <GoButton to="/">{texts.common.goHome}</GoButton>
  </>
)

/** Renders a query's three states: loading, error, and data. */
export function Loaded<T>({
  query,
  children,
}: {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown }
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <Problem error={query.error} retry={query.refetch} /> : <Loading />
}
