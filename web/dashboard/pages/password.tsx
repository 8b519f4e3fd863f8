import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CardPage } from '../parts/card-page.tsx'
import { fieldsOf, usePersonForm } from '../parts/person-form.ts'

/** Asks for a link by mail. */
export function Forgot() {
  const [isSent, setSent] = useState(false)
  const { submit, error, isBusy } = usePersonForm('password/reset', () => setSent(true))
  if (isSent)
    return (
      <CardPage title="Look at your mail">
        <Stack>
          <Text>
            If somebody with this address has an account here, a link to set a new password is on its way.
          </Text>
          <Anchor component={Link} to="/signin">
            Back to sign in
          </Anchor>
        </Stack>
      </CardPage>
    )
  return (
    <CardPage title="Forgot your password?" note="We send you a link to set a new one.">
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
          <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
          <Button type="submit" loading={isBusy}>
            Send the link
          </Button>
          <Anchor component={Link} to="/signin" size="sm" ta="center">
            Back to sign in
          </Anchor>
        </Stack>
      </form>
    </CardPage>
  )
}

/** Sets the new password. The token stands behind the #, which never reaches a server's log. */
export function Reset() {
  const navigate = useNavigate()
  const token = window.location.hash.slice(1)
  const { submit, error, isBusy } = usePersonForm('password', () => navigate({ to: '/signin' }))
  return (
    <CardPage title="Set a new password" note="You will be signed out everywhere.">
      <form
        onSubmit={event => {
          event.preventDefault()
          void submit({ token, ...fieldsOf(event.currentTarget) })
        }}
      >
        <Stack>
          {error && (
            <Alert color="red" role="alert" variant="light">
              {error.message}
            </Alert>
          )}
          <TextInput
            type="password"
            label="New password"
            name="password"
            description="At least 8 characters"
            autoComplete="new-password"
            minLength={8}
            required
            autoFocus
          />
          <Button type="submit" loading={isBusy}>
            Set the password
          </Button>
        </Stack>
      </form>
    </CardPage>
  )
}
