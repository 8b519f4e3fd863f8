import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { CardPage } from '../parts/card-page.tsx'
import { fieldsOf, usePersonForm } from '../parts/person-form.ts'

export function SetUp() {
  const navigate = useNavigate()
  const { submit, error, isBusy } = usePersonForm('setup', () => navigate({ to: '/' }))
  return (
    <CardPage title="Set up Tributary" note="This makes the first account and its owner: you.">
      <form
        onSubmit={event => {
          event.preventDefault()
          void submit(fieldsOf(event.currentTarget))
        }}
      >
        <Stack>
          {error && (
            <Alert color="red" role="alert" variant="light">
              {error.message}
            </Alert>
          )}
          <TextInput
            label="Set-up code"
            name="code"
            description="The server printed it when it started."
            placeholder="ABCD-EFGH-JKMN"
            autoComplete="off"
            required
            autoFocus
          />
          <TextInput label="Company" name="company" autoComplete="organization" required maxLength={255} />
          <TextInput label="Email" name="email" type="email" autoComplete="username" required />
          <TextInput
            type="password"
            label="Password"
            name="password"
            description="At least 8 characters"
            autoComplete="new-password"
            minLength={8}
            required
          />
          <Button type="submit" loading={isBusy}>
            Create account
          </Button>
        </Stack>
      </form>
    </CardPage>
  )
}
