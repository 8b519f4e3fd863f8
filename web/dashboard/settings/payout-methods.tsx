import { Alert, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { texts as shared } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

const { payoutMethods: labels } = texts

export function PayoutMethodSettings() {
  const rails = useCall('getRails')
  return (
    <SettingsSection title={texts.sections.payoutMethods} note={labels.note}>
      {rails.isPending && <Skeleton height={200} role="status" aria-label={shared.states.loading} />}
      {rails.isError && <ErrorNotice error={rails.error} retry={() => void rails.refetch()} />}
      {rails.data && (
        <SettingsCard>
          <Group gap="sm" mb="xs">
            <Title order={3} size="h5">
              {labels.paypal}
            </Title>
            {rails.data.paypal ? (
              <Status value="active" label={labels.connected} />
            ) : (
              <Status value="disabled" label={labels.notConnected} />
            )}
          </Group>
          {rails.data.paypal && (
            <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
              <CodeText>{labels.current(rails.data.paypal.client_id)}</CodeText>{' '}
              <When time={rails.data.paypal.updated_at} />
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
    done: labels.saved,
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
          label={labels.clientId}
          description={labels.clientIdHint}
          value={clientId}
          onChange={event => setClientId(event.currentTarget.value)}
          maxLength={500}
          autoComplete="off"
          required
        />
        <TextInput
          type="password"
          label={labels.clientSecret}
          description={labels.clientSecretHint}
          value={clientSecret}
          onChange={event => setClientSecret(event.currentTarget.value)}
          maxLength={500}
          autoComplete="new-password"
          required
        />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {isSet ? labels.replace : labels.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
