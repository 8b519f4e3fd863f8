import { Alert, Button, Group, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { fieldsOf } from '../access/person-form.tsx'
import { useAccount, useCall, useChange, useSessionInfo } from '../shared/account.tsx'
import { personCall } from '../shared/api.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { texts } from './en.ts'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

const { password: labels } = texts

export function ProfileSettings() {
  const { user } = useSessionInfo()
  return (
    <SettingsSection title={texts.sections.profile} note={user.email}>
      <Stack>
        <OwnDigest />
        <PasswordForm />
      </Stack>
    </SettingsSection>
  )
}

/** Whether the user gets the team's weekly digest of this account. Saves immediately. */
function OwnDigest() {
  const account = useAccount()
  const digests = useCall('getDigests')
  const save = useChange('subscribeToDigest')
  if (!digests.data) return null
  const { team: isSent, is_subscribed: isSubscribed } = digests.data
  return (
    <SettingsCard>
      <Switch
        label={texts.digests.own}
        description={isSent ? texts.digests.ownNote(account.name) : texts.digests.ownOff}
        checked={isSent && isSubscribed}
        disabled={!isSent || save.isPending}
        onChange={event => save.mutate({ body: { is_subscribed: event.currentTarget.checked } })}
      />
    </SettingsCard>
  )
}

/** The user's password, for all their accounts. */
function PasswordForm() {
  const { user } = useSessionInfo()
  const queries = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const change = async ({ current, password, confirmation }: Record<string, string>) => {
    if (password !== confirmation) return setProblem(labels.mismatch)
    setBusy(true)
    setProblem(null)
    try {
      await personCall('POST', 'password/change', { current, password })
      // The session is new, and so is its CSRF token.
      await queries.invalidateQueries({ queryKey: queryKeys.session() })
      form.current?.reset()
      notifications.show({
        message: labels.changed,
        color: 'teal',
      })
    } catch (error) {
      const { message } = error as Error
      setProblem(message.startsWith('current ') ? labels.wrong : message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <SettingsCard>
      <Title order={3} size="h5">
        {labels.title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {labels.note}
      </Text>
      <form
        ref={form}
        onSubmit={event => {
          event.preventDefault()
          void change(fieldsOf(event.currentTarget))
        }}
      >
        <Stack>
          {problem && (
            <Alert color="red" role="alert" variant="light">
              {problem}
            </Alert>
          )}
          <input type="hidden" autoComplete="username" value={user.email} readOnly />
          <TextInput
            type="password"
            label={labels.current}
            name="current"
            autoComplete="current-password"
            required
          />
          <TextInput
            type="password"
            label={labels.new}
            description={labels.newHint}
            name="password"
            autoComplete="new-password"
            minLength={8}
            maxLength={1024}
            required
          />
          <TextInput
            type="password"
            label={labels.confirm}
            name="confirmation"
            autoComplete="new-password"
            minLength={8}
            maxLength={1024}
            required
          />
          <Group>
            <Button type="submit" loading={isBusy}>
              {labels.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  )
}
