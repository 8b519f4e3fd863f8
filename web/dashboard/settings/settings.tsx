import { Flex, Grid, NavLink, Paper } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { may, type Permission } from '@tributary/contract/dashboard/permissions'
import type { ComponentType } from 'react'
import { useAccount, usePath } from '../shared/account.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { ApiKeySettings } from './api-keys.tsx'
import { GeneralSettings } from './general.tsx'
import { MailSettings } from './mail.tsx'
import { PasswordSettings } from './own-password.tsx'
import { PortalSettings } from './portal.tsx'
import { RailSettings } from './rails.tsx'
import { RateSettings } from './rates.tsx'
import { TeamSettings } from './team.tsx'

interface Section {
  path: string
  label: string
  permission: Permission
  Content: ComponentType
}

const sections: Section[] = [
  { path: 'general', label: 'General', permission: 'read', Content: GeneralSettings },
  { path: 'api-keys', label: 'API keys', permission: 'settings', Content: ApiKeySettings },
  { path: 'team', label: 'Team', permission: 'read', Content: TeamSettings },
  { path: 'portal', label: 'Branding and portal', permission: 'read', Content: PortalSettings },
  { path: 'payout-rails', label: 'Payout rails', permission: 'settings', Content: RailSettings },
  { path: 'fx-rates', label: 'FX rates', permission: 'read', Content: RateSettings },
  { path: 'mail', label: 'Mail', permission: 'settings', Content: MailSettings },
  { path: 'password', label: 'Your password', permission: 'read', Content: PasswordSettings },
]

export function Settings() {
  const { section = 'general' } = useParams({ strict: false })
  const { role } = useAccount()
  const path = usePath()
  const shown = sections.filter(({ permission }) => may(role, permission))
  const current = sections.find(each => each.path === section)
  return (
    <>
      <PageHead title="Settings" />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 3, lg: 2 }}>
          <Flex
            component="nav"
            aria-label="Settings"
            direction={{ base: 'row', md: 'column' }}
            wrap={{ base: 'wrap', md: 'nowrap' }}
            gap={2}
          >
            {shown.map(({ path: place, label }) => (
              <NavLink
                key={place}
                component={Link}
                to={path(`settings/${place}`)}
                label={label}
                active={place === section}
                aria-current={place === section ? 'page' : undefined}
                w={{ base: 'auto', md: '100%' }}
                style={{ borderRadius: 8 }}
              />
            ))}
          </Flex>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 9, lg: 10 }}>
          <SectionShown section={current} isAllowed={current !== undefined && shown.includes(current)} />
        </Grid.Col>
      </Grid>
    </>
  )
}

function SectionShown({ section, isAllowed }: { section: Section | undefined; isAllowed: boolean }) {
  const { role } = useAccount()
  if (section && isAllowed) return <section.Content />
  return (
    <Paper withBorder>
      {section ? (
        <EmptyState title="Not for your role">
          As {role} you cannot see {section.label}. Ask an owner of the account.
        </EmptyState>
      ) : (
        <EmptyState title="There is no such setting">Choose one from the list.</EmptyState>
      )}
    </Paper>
  )
}
