import { Alert, Button, Code, Group, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import type { ConnectorSummary } from '@tributary/contract/dashboard'
import type { ConnectorProvider } from '@tributary/contract/dashboard/connector-providers'
import { useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { useChange } from '../shared/account.tsx'
import { Copy } from '../shared/facts.tsx'
import { texts } from './en.ts'

const { setup: labels } = texts

/** The steps at the provider, with the values to copy there and the secret to bring back. */
export function ConnectorSetup({ connector }: { connector: ConnectorSummary }) {
  const provider = texts.providers[connector.provider as ConnectorProvider]
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {labels.title}
      </Title>
      <Stack gap="md" maw={720}>
        {connector.needs_secret && (
          <Alert color="yellow" variant="light">
            {labels.waiting}
          </Alert>
        )}
        <div>
          <Text size="sm" fw={500}>
            {labels.webhookUrl}
          </Text>
          <Copy value={connector.webhook_url} label={labels.copyUrl}>
            <Code style={{ overflowWrap: 'anywhere' }}>
              <Breakable>{connector.webhook_url}</Breakable>
            </Code>
          </Copy>
        </div>
        {provider && (
          <List type="ordered" size="sm" spacing={4}>
            {provider.steps.map(step => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
        )}
        {provider && provider.events.length > 0 && (
          <div>
            <Text size="sm" fw={500} mb={4}>
              {labels.events}
            </Text>
            <Group gap={6}>
              {provider.events.map(event => (
                <Code key={event}>{event}</Code>
              ))}
            </Group>
          </div>
        )}
        <SecretForm connector={connector} secretHint={provider?.secretHint} />
      </Stack>
    </Paper>
  )
}

function SecretForm({
  connector,
  secretHint,
}: {
  connector: ConnectorSummary
  secretHint: string | undefined
}) {
  const [secret, setSecret] = useState('')
  const [apiKey, setApiKey] = useState('')
  const save = useChange('setConnectorSecrets', {
    isQuiet: true,
    done: labels.saved,
    onDone: () => {
      setSecret('')
      setApiKey('')
    },
  })
  const hasApi = connector.provider === 'stripe'
  const body = {
    ...(secret.trim() && { signing_secret: secret.trim() }),
    ...(apiKey.trim() && { api_key: apiKey.trim() }),
  }
  return (
    <form
      autoComplete="off"
      onSubmit={event => {
        event.preventDefault()
        save.mutate({ id: connector.id, body })
      }}
    >
      <Stack maw={480}>
        {save.error && (
          <Alert color="red" role="alert" variant="light">
            {save.error.message}
          </Alert>
        )}
        <TextInput
          type="password"
          label={labels.secret}
          description={connector.needs_secret ? secretHint : labels.secretSet}
          value={secret}
          onChange={event => setSecret(event.currentTarget.value)}
          maxLength={1000}
          autoComplete="new-password"
          required={connector.needs_secret}
        />
        {hasApi && (
          <TextInput
            type="password"
            label={labels.apiKey}
            description={connector.has_api_key ? labels.apiKeySet : labels.apiKeyHint}
            value={apiKey}
            onChange={event => setApiKey(event.currentTarget.value)}
            maxLength={1000}
            autoComplete="new-password"
          />
        )}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={Object.keys(body).length === 0}>
            {labels.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
