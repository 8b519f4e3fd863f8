import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router'
import type { SessionInfo } from '@tributary/contract/dashboard'
import { useEffect } from 'react'
import { AccountProvider } from '../shared/account.tsx'
import { BookIcon, CodeIcon, HelpIcon, SunIcon } from '../shared/icons.tsx'
import { sessionQuery } from '../shared/session-query.ts'
import { texts } from './en.ts'
import { guideFor } from './guide-for.ts'
import { NotFound } from './page-error.tsx'
import { Palette } from './palette.tsx'
import { places } from './places.ts'
import { useSignOut } from './use-sign-out.ts'

/** The frame of every page of an account. */
export function Shell() {
  const { account: slug } = useParams({ strict: false })
  const session = useQuery(sessionQuery).data
  const account = session?.accounts.find(each => each.slug === slug)
  const [isOpen, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: state => state.location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes.
  useEffect(close, [path])
  if (!session) return null
  if (!account) return <NotFound />
  return (
    <AccountProvider value={{ account, session }}>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'sm', sm: 'lg' }}
      >
        <AppShell.Header>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap">
              <Burger
                opened={isOpen}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={texts.navigation}
              />
              <img src="/assets/favicon.svg" alt="" width={26} height={26} />
              <AccountMenu session={session} current={account.slug} />
            </Group>
            <Group gap="xs" wrap="nowrap">
              <Palette />
              <SchemeButton />
              <PersonMenu session={session} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs">
          <AppShell.Section component={ScrollArea} grow>
            <nav aria-label={texts.pages.label}>
              {places.map(({ path: place, label, Icon }) => {
                const isHere = `${path}/`.includes(`/${account.slug}/${place}/`)
                return (
                  <NavLink
                    key={place}
                    component={Link}
                    to={`/${account.slug}/${place}`}
                    label={label}
                    leftSection={<Icon />}
                    active={isHere}
                    aria-current={isHere ? 'page' : undefined}
                    style={{ borderRadius: 8 }}
                  />
                )
              })}
            </nav>
          </AppShell.Section>
          <AppShell.Section>
            <nav aria-label={texts.help.label}>
              {[
                { href: guideFor(path), label: texts.help.page, Icon: HelpIcon },
                { href: '/docs', label: texts.help.docs, Icon: BookIcon },
                { href: '/docs/reference', label: texts.help.reference, Icon: CodeIcon },
              ].map(({ href, label, Icon }) => (
                <NavLink
                  key={label}
                  component="a"
                  href={href}
                  target="_blank"
                  label={label}
                  leftSection={<Icon />}
                  style={{ borderRadius: 8 }}
                />
              ))}
            </nav>
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main>
          <div style={{ maxWidth: 1280, margin: '0 auto' }}>
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
    </AccountProvider>
  )
}

function AccountMenu({ session, current }: { session: SessionInfo; current: string }) {
  const account = session.accounts.find(each => each.slug === current)
  if (session.accounts.length < 2)
    return (
      <Text fw={650} truncate maw={{ base: 110, sm: 320 }}>
        {account?.name}
      </Text>
    )
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          px="xs"
          rightSection="▾"
          maw={{ base: 150, sm: 320 }}
          aria-label={texts.account.switch}
        >
          {account?.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{texts.account.all}</Menu.Label>
        {session.accounts.map(each => (
          <Menu.Item
            key={each.id}
            component={Link}
            to={`/${each.slug}/overview`}
            fw={each.slug === current ? 650 : 400}
          >
            {each.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={texts.theme(other)}
      onClick={() => setColorScheme(other)}
    >
      <SunIcon />
    </ActionIcon>
  )
}

function PersonMenu({ session }: { session: SessionInfo }) {
  const leave = useSignOut()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="light" size="lg" radius="xl" aria-label={texts.account.menu}>
          <Text fw={700} size="sm">
            {(session.user.name ?? session.user.email).slice(0, 1).toUpperCase()}
          </Text>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session.user.email}</Menu.Label>
        <Menu.Item onClick={() => void leave('session')}>{texts.account.signOut}</Menu.Item>
        <Menu.Item onClick={() => void leave('sessions')}>{texts.account.signOutEverywhere}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
