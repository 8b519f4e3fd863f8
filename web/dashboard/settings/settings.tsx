import { Flex, Grid, NavLink, Paper } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { may, type Permission } from '@tributary/contract/dashboard/permissions'
import type { ComponentType } from 'react'
import { useAccount, usePath } from '../shared/account.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { ApiKeySettings } from './api-keys.tsx'
import { EmailSettings } from './email.tsx'
import { texts } from './en.ts'
import { GeneralSettings } from './general.tsx'
import { PasswordSettings } from './own-password.tsx'
import { PayoutMethodSettings } from './payout-methods.tsx'
import { PortalSettings } from './portal.tsx'
import { RateSettings } from './rates.tsx'
import { TeamSettings } from './team.tsx'
import { TrackingSettings } from './tracking/tracking.tsx'

interface Section {
  path: string
  label: string
  permission: Permission
  Content: ComponentType
}

const sections: Section[] = [
  { path: 'general', label: texts.sections.general, permission: 'read', Content: GeneralSettings },
  { path: 'api-keys', label: texts.sections.apiKeys, permission: 'settings', Content: ApiKeySettings },
  { path: 'team', label: texts.sections.team, permission: 'read', Content: TeamSettings },
  { path: 'tracking', label: texts.sections.tracking, permission: 'read', Content: TrackingSettings },
  { path: 'portal', label: texts.sections.portal, permission: 'read', Content: PortalSettings },
  {
    path: 'payout-rails',
    label: texts.sections.payoutMethods,
    permission: 'settings',
    Content: PayoutMethodSettings,
  },
  { path: 'fx-rates', label: texts.sections.rates, permission: 'read', Content: RateSettings },
  { path: 'mail', label: texts.sections.email, permission: 'settings', Content: EmailSettings },
  { path: 'password', label: texts.sections.password, permission: 'read', Content: PasswordSettings },
]

export function Settings() {
  const { section = 'general' } = useParams({ strict: false })
  const { role } = useAccount()
  const path = usePath()
  const shown = sections.filter(({ permission }) => may(role, permission))
  const current = sections.find(each => each.path === section)
  return (
    <>
      <PageHead title={texts.title} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 3, lg: 2 }}>
          <Flex
            component="nav"
            aria-label={texts.title}
            direction={{ base: 'row', md: 'column' }}
            wrap={{ base: 'wrap', md: 'nowrap' }}
            gap={2}
          >
            {shown.map(({ path: each, label }) => (
              <NavLink
                key={each}
                component={Link}
                to={path(`settings/${each}`)}
                label={label}
                active={each === section}
                aria-current={each === section ? 'page' : undefined}
                w={{ base: 'auto', md: '100%' }}
                style={{ borderRadius: 8 }}
              />
            ))}
          </Flex>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 9, lg: 10 }}>
          <SectionView section={current} isAllowed={current !== undefined && shown.includes(current)} />
        </Grid.Col>
      </Grid>
    </>
  )
}

function SectionView({ section, isAllowed }: { section: Section | undefined; isAllowed: boolean }) {
  if (section && isAllowed) return <section.Content />
  return (
    <Paper withBorder>
      {section ? (
        <EmptyState title={texts.notAllowed(section.label)}>{texts.notAllowedNote}</EmptyState>
      ) : (
        <EmptyState title={texts.notFound}>{texts.notFoundNote}</EmptyState>
      )}
    </Paper>
  )
}
