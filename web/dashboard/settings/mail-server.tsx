import {
  Alert,
  Button,
  Group,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import type { MailSecurity, MailServerSettings } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { fieldError } from '../shared/field-error.ts'
import { optionsOf } from '../shared/options.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { SettingsCard } from './settings-section.tsx'

const { mailServer: labels } = texts

/** The SMTP server of the account: what sends its emails, and a test of it. Those who may not change it see which one it is. */
export function MailServer() {
  const mayChange = useMay('team')
  const found = useCall('getMailServer')
  if (found.isPending) return <Skeleton height={320} role="status" aria-label={shared.states.loading} />
  if (found.isError) return <ErrorNotice error={found.error} retry={() => void found.refetch()} />
  const { source, from, server } = found.data
  return (
    <SettingsCard>
      <Title order={3} size="h5" mb="sm">
        {labels.title}
      </Title>
      <Alert
        color={source ? 'teal' : 'yellow'}
        variant="light"
        title={source ? labels.on : labels.off}
        mb="md"
      >
        <CodeText>
          {source === null
            ? labels.offNote
            : source === 'environment'
              ? labels.fromEnvironment(from ?? '')
              : labels.from(from ?? '')}
        </CodeText>
      </Alert>
      {mayChange ? (
        <>
          {source !== 'environment' && <ServerForm key={server?.updated_at ?? 'new'} server={server} />}
          {source && <SendTest />}
        </>
      ) : (
        source !== 'environment' && <ServerFacts server={server} />
      )}
    </SettingsCard>
  )
}

const ServerFacts = ({ server }: { server: MailServerSettings | null }) => (
  <Stack gap="xs">
    {server && (
      <Text size="sm">
        <CodeText>{labels.at(server.host, server.port)}</CodeText>
      </Text>
    )}
    <Text size="sm" c="dimmed">
      {labels.ownersOnly}
    </Text>
  </Stack>
)

function SendTest() {
  const test = useChange('testMailServer', { isQuiet: true, done: ({ to }) => labels.sent(to) })
  return (
    <Stack gap="xs" mt="md">
      {test.error && (
        <Alert color="red" role="alert" variant="light">
          {test.error.message}
        </Alert>
      )}
      <Group gap="sm">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ body: {} })}>
          {labels.test}
        </Button>
        <Text size="sm" c="dimmed">
          {labels.testNote}
        </Text>
      </Group>
    </Stack>
  )
}

const PORTS: Record<MailSecurity, string> = { tls: '465', starttls: '587', none: '25' }

const valuesOf = (server: MailServerSettings | null) => ({
  host: server?.host ?? '',
  port: String(server?.port ?? 587),
  security: server?.security ?? ('starttls' as MailSecurity),
  user: server?.user ?? '',
  password: '',
  from: server?.from ?? '',
})

function ServerForm({ server }: { server: MailServerSettings | null }) {
  const [values, setValues] = useState(() => valuesOf(server))
  const [isRemoving, setRemoving] = useState(false)
  const save = useChange('setMailServer', { isQuiet: true, done: labels.saved })
  const remove = useChange('removeMailServer', { done: labels.removed })
  const set = (changes: Partial<typeof values>) => setValues(before => ({ ...before, ...changes }))
  const bind = (name: Exclude<keyof typeof values, 'security'>) => ({
    label: labels.fields[name],
    value: values[name],
    error: fieldError(save.error, name),
    onChange: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.value }),
  })
  return (
    <form
      autoComplete="off"
      onSubmit={event => {
        event.preventDefault()
        const { host, port, security, user, password, from } = values
        save.mutate({
          body: {
            host: host.trim(),
            port: Number(port),
            security,
            user: user.trim() || null,
            from: from.trim(),
            ...(password && { password }),
          },
        })
      }}
    >
      <Stack>
        {save.error && (
          <Alert color="red" role="alert" variant="light">
            {save.error.message}
          </Alert>
        )}
        <TextInput {...bind('host')} placeholder={labels.hostExample} maxLength={253} required />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={labels.fields.security}
            data={optionsOf(labels.securities)}
            value={values.security}
            allowDeselect={false}
            onChange={value => {
              const security = (value ?? 'starttls') as MailSecurity
              set({ security, port: PORTS[security] })
            }}
          />
          <TextInput {...bind('port')} inputMode="numeric" pattern="[0-9]{1,5}" required />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput {...bind('user')} maxLength={255} autoComplete="off" />
          <TextInput
            {...bind('password')}
            type="password"
            description={server?.user ? labels.passwordKept : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={500}
            autoComplete="new-password"
          />
        </SimpleGrid>
        <TextInput {...bind('from')} type="email" description={labels.fromHint} maxLength={254} required />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {labels.save}
          </Button>
          {server && (
            <Button variant="subtle" color="red" onClick={() => setRemoving(true)}>
              {labels.remove}
            </Button>
          )}
        </Group>
      </Stack>
      {isRemoving && (
        <ConfirmDialog
          title={labels.removeTitle}
          confirm={labels.remove}
          onClose={() => setRemoving(false)}
          onConfirm={() => {
            setRemoving(false)
            remove.mutate({ body: {} })
          }}
        >
          <Text size="sm">{labels.removeText}</Text>
        </ConfirmDialog>
      )}
    </form>
  )
}
