import { Alert, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { When } from '../shared/facts.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

export function RailSettings() {
  const rails = useCall('getRails')
  return (
    <SettingsSection
      title="Payout rails"
      note="How money leaves. Without PayPal, payouts are paid by hand from a file and marked paid here."
    >
      {rails.isPending && <Skeleton height={200} aria-label="Loading" />}
      {rails.isError && <ErrorNotice error={rails.error} retry={() => void rails.refetch()} />}
      {rails.data && (
        <SettingsCard>
          <Group gap="sm" mb="xs">
            <Title order={3} size="h5">
              PayPal
            </Title>
            {rails.data.paypal ? (
              <Status value="active" label="Set up" />
            ) : (
              <Status value="disabled" label="Not set up" />
            )}
          </Group>
          {rails.data.paypal && (
            <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
              With the client ID <code>{rails.data.paypal.client_id}</code>, set{' '}
              <When time={rails.data.paypal.updated_at} />.
            </Text>
          )}
          <PayPalForm isSet={rails.data.paypal !== null} />
        </SettingsCard>
      )}
    </SettingsSection>
  )
}

function PayPalForm({ isSet }: { isSet: boolean }) {
  const [clientId, setClientId] = useState('')
  const [clientSecret, setClientSecret] = useState('')
  const save = useChange('setPayPalCredentials', {
    isQuiet: true,
    done: 'The PayPal credentials are set.',
    onDone: () => {
      setClientId('')
      setClientSecret('')
    },
  })
  return (
    <form
      autoComplete="off"
      onSubmit={event => {
        event.preventDefault()
        save.mutate({ body: { client_id: clientId.trim(), client_secret: clientSecret.trim() } })
      }}
    >
      <Stack>
        {save.error && (
          <Alert color="red" role="alert" variant="light">
            {save.error.message}
          </Alert>
        )}
        <TextInput
          label="Client ID"
          description="Of an app with the Payouts feature, from the PayPal developer dashboard."
          value={clientId}
          onChange={event => setClientId(event.currentTarget.value)}
          maxLength={500}
          autoComplete="off"
          required
        />
        <TextInput
          type="password"
          label="Client secret"
          description="Kept encrypted, and never shown again."
          value={clientSecret}
          onChange={event => setClientSecret(event.currentTarget.value)}
          maxLength={500}
          autoComplete="new-password"
          required
        />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {isSet ? 'Replace the credentials' : 'Set the credentials'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
