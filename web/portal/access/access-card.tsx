import { Anchor, Group, Paper, Stack, Title } from '@mantine/core'
import { pages as texts } from '@tributary/contract/portal/texts'
import type { ReactNode } from 'react'
import { Brand } from '../shared/brand.tsx'
import { look } from '../shared/look.ts'
import { useTitle } from '../shared/states.tsx'

/** The layout for visitors who aren't signed in: the company's brand, one card, and its terms. */
export function AccessCard({
  title,
  wide,
  children,
}: {
  title: string
  wide?: boolean
  children: ReactNode
}) {
  useTitle(title)
  return (
    <>
      <header className="head" style={{ justifyContent: 'center', paddingTop: 40 }}>
        <Brand />
      </header>
      <main className="content" style={{ maxWidth: wide ? 560 : 440 }}>
        <Paper withBorder p="lg" radius="md">
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
        {look.terms_url && (
          <Group justify="center" mt="md">
            <Anchor href={look.terms_url} size="sm" target="_blank" rel="noreferrer">
              {texts.common.terms}
            </Anchor>
          </Group>
        )}
      </main>
    </>
  )
}
