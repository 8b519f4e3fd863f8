import { Flex, Grid, NavLink, Paper } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { may } from '@tributary/contract/dashboard/permissions'
import type { ComponentType } from 'react'
import { useAccount, usePath } from '../shared/account.tsx'
import { settingsSections } from '../shared/settings-sections.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { ApiKeySettings } from './api-keys.tsx'
import { EmailSettings } from './email.tsx'
import { texts } from './en.ts'
import { GeneralSettings } from './general.tsx'
import { PayoutMethodSettings } from './payout-methods.tsx'
import { PortalSettings } from './portal.tsx'
import { ProfileSettings } from './profile.tsx'
import { RateSettings } from './rates.tsx'
import { TeamSettings } from './team.tsx'
import { TrackingSettings } from './tracking/tracking.tsx'

type Section = (typeof settingsSections)[number]

const contents: Record<Section['path'], ComponentType> = {
  general: GeneralSettings,
  'api-keys': ApiKeySettings,
  team: TeamSettings,
  tracking: TrackingSettings,
  portal: PortalSettings,
  'payout-rails': PayoutMethodSettings,
  'fx-rates': RateSettings,
  mail: EmailSettings,
  profile: ProfileSettings,
}

export function Settings() {
  const { section = 'general' } = useParams({ strict: false })
  const { role } = useAccount()
  const path = usePath()
  const shown = settingsSections.filter(({ permission }) => may(role, permission))
  const current = settingsSections.find(each => each.path === section)
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
  if (section && isAllowed) {
    const Content = contents[section.path]
    return <Content />
  }
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
