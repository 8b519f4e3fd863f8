import { Anchor, Skeleton, Stack, Switch, Text, Title } from '@mantine/core'
import type { TrackingSettings as Settings } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { useAccount, useCall, useChange, useMay } from '../../shared/account.tsx'
import { CodeText } from '../../shared/code-text.tsx'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { texts as shared } from '../../shared/en.ts'
import { SourceText } from '../../shared/source-text.tsx'
import { ErrorNotice } from '../../shared/states.tsx'
import { texts as settingsTexts } from '../en.ts'
import { SettingsCard, SettingsSection } from '../settings-section.tsx'
import { texts } from './en.ts'
import { SitesForm } from './sites-form.tsx'
import { VerifyInstallation } from './verify-installation.tsx'

export function TrackingSettings() {
  const tracking = useCall('getTracking')
  return (
    <SettingsSection
      title={settingsTexts.sections.tracking}
      note={
        <>
          {texts.note}{' '}
          <Anchor href="/docs/tracking" inherit underline="always">
            {texts.docs}
          </Anchor>
        </>
      }
    >
      {tracking.isPending && <Skeleton height={320} role="status" aria-label={shared.states.loading} />}
      {tracking.isError && <ErrorNotice error={tracking.error} retry={() => void tracking.refetch()} />}
      {tracking.data && (
        <Stack>
          <Card title={texts.script.title} note={texts.script.note}>
            <Script url={tracking.data.script_url} />
          </Card>
          <Card title={texts.verify.title} note={texts.verify.note}>
            <VerifyInstallation tracking={tracking.data} />
          </Card>
          <Card title={texts.sites.title} note={texts.sites.note}>
            <SitesForm key={tracking.data.sites.join('\n')} tracking={tracking.data} />
          </Card>
          <Card title={texts.cookies.title}>
            <CookieSwitch tracking={tracking.data} />
          </Card>
          <Card title={texts.customers.title} note={texts.customers.note}>
            <CustomerEmailSwitch tracking={tracking.data} />
          </Card>
        </Stack>
      )}
    </SettingsSection>
  )
}

function Card({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <SettingsCard>
      <Title order={3} size="h5">
        {title}
      </Title>
      {note && (
        <Text size="sm" c="dimmed">
          <CodeText>{note}</CodeText>
        </Text>
      )}
      <Stack mt="sm">{children}</Stack>
    </SettingsCard>
  )
}

function Script({ url }: { url: string }) {
  const { slug } = useAccount()
  return (
    <>
      <SourceText text={texts.script.snippet(url, slug)} label={texts.script.name} />
      <Text size="sm" c="dimmed">
        <CodeText>{texts.script.checkout}</CodeText>
      </Text>
    </>
  )
}

/** Saves immediately. */
function CookieSwitch({ tracking }: { tracking: Settings }) {
  const mayChange = useMay('settings')
  const save = useChange('updateTracking', { done: texts.cookies.saved })
  return (
    <Switch
      label={texts.cookies.label}
      description={texts.cookies.note}
      checked={tracking.shares_subdomains}
      disabled={!mayChange || save.isPending}
      onChange={event => save.mutate({ body: { shares_subdomains: event.currentTarget.checked } })}
    />
  )
}

/** Turned on immediately; turning it off is confirmed, because it erases. */
function CustomerEmailSwitch({ tracking }: { tracking: Settings }) {
  const { customers: labels } = texts
  const mayChange = useMay('settings')
  const [isConfirming, setConfirming] = useState(false)
  const keep = useChange('updateTracking', { done: labels.on })
  const erase = useChange('updateTracking', { done: labels.erased })
  return (
    <>
      <Switch
        label={labels.label}
        {...(!tracking.keeps_customer_emails && { description: labels.off })}
        checked={tracking.keeps_customer_emails}
        disabled={!mayChange || keep.isPending || erase.isPending}
        onChange={event =>
          event.currentTarget.checked
            ? keep.mutate({ body: { keeps_customer_emails: true } })
            : setConfirming(true)
        }
      />
      {isConfirming && (
        <ConfirmDialog
          title={labels.dialog}
          confirm={labels.erase}
          colour="red"
          onClose={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false)
            erase.mutate({ body: { keeps_customer_emails: false } })
          }}
        >
          <Text size="sm">{labels.dialogNote}</Text>
        </ConfirmDialog>
      )}
    </>
  )
}
