import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { fieldsOf } from '../access/person-form.tsx'
import { useSessionInfo } from '../shared/account.tsx'
import { personCall } from '../shared/api.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { SettingsCard, SettingsSection } from './settings-section.tsx'

export function PasswordSettings() {
  const { user } = useSessionInfo()
  const queries = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const change = async ({ current, password, again }: Record<string, string>) => {
    if (password !== again) return setProblem('The two new passwords are not the same.')
    setBusy(true)
    setProblem(null)
    try {
      await personCall('POST', 'password/change', { current, password })
      // The session is a new one, and so is what proves that changes come from this page.
      await queries.invalidateQueries({ queryKey: queryKeys.session() })
      form.current?.reset()
      notifications.show({
        message: 'Your password is changed. You are signed out elsewhere.',
        color: 'teal',
      })
    } catch (error) {
      const { message } = error as Error
      setProblem(message.startsWith('current ') ? 'That is not your present password.' : message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <SettingsSection
      title="Your password"
      note={`For ${user.email}, in every account. Everywhere else you will be signed out.`}
    >
      <SettingsCard>
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
              label="Present password"
              name="current"
              autoComplete="current-password"
              required
            />
            <TextInput
              type="password"
              label="New password"
              description="At least 8 characters"
              name="password"
              autoComplete="new-password"
              minLength={8}
              maxLength={1024}
              required
            />
            <TextInput
              type="password"
              label="New password, once more"
              name="again"
              autoComplete="new-password"
              minLength={8}
              maxLength={1024}
              required
            />
            <Group>
              <Button type="submit" loading={isBusy}>
                Change the password
              </Button>
            </Group>
          </Stack>
        </form>
      </SettingsCard>
    </SettingsSection>
  )
}
