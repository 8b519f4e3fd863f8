import { Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { useCall } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { PortalForm } from './portal-form.tsx'
import { PortalLogo } from './portal-logo.tsx'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

export function PortalSettings() {
  const portal = useCall('getPortal')
  return (
    <SettingsSection title={texts.sections.portal} note={texts.portal.note}>
      {portal.isPending && <Skeleton height={360} role="status" aria-label={shared.states.loading} />}
      {portal.isError && <ErrorNotice error={portal.error} retry={() => void portal.refetch()} />}
      {portal.data && (
        <Stack>
          <SettingsCard>
            <Text size="sm">{texts.portal.url}</Text>
            <Anchor href={portal.data.address} target="_blank" style={{ overflowWrap: 'anywhere' }}>
              {portal.data.address}
            </Anchor>
          </SettingsCard>
          <SettingsCard>
            <PortalLogo logo={portal.data.logo} name={portal.data.name ?? portal.data.account_name} />
          </SettingsCard>
          <SettingsCard>
            <PortalForm portal={portal.data} />
          </SettingsCard>
        </Stack>
      )}
    </SettingsSection>
  )
}
