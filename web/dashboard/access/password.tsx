import { Anchor, Button, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { personCall } from '../shared/api.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { CardPage } from './card-page.tsx'
import { PersonForm } from './person-form.tsx'
import { SpentLink } from './spent-link.tsx'

const BackToSignIn = () => (
  <Anchor component={Link} to="/signin" size="sm" ta="center">
    Back to sign in
  </Anchor>
)

/** Asks for a link by mail. */
export function Forgot() {
  const [isSent, setSent] = useState(false)
  if (isSent)
    return (
      <CardPage title="Look at your mail">
        <Stack>
          <Text>
            If somebody with this address has an account here, a link to set a new password is on its way.
          </Text>
          <BackToSignIn />
        </Stack>
      </CardPage>
    )
  return (
    <CardPage title="Forgot your password?" note="We send you a link to set a new one.">
      <PersonForm
        path="password/reset"
        label="Send the link"
        onDone={() => setSent(true)}
        below={<BackToSignIn />}
      >
        <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
      </PersonForm>
    </CardPage>
  )
}

/** Sets the new password. The token stands behind the #, which never reaches a server's log. */
export function Reset() {
  const navigate = useNavigate()
  const token = window.location.hash.slice(1)
  const link = useQuery({
    queryKey: queryKeys.passwordLink(token),
    queryFn: () => personCall('POST', 'password/link', { token }),
    retry: false,
  })
  if (link.isPending)
    return (
      <CardPage title="Set a new password">
        <Loader aria-label="Loading" />
      </CardPage>
    )
  if (link.isError)
    return (
      <SpentLink error={link.error} title="This link doesn't work anymore">
        <Button component={Link} to="/forgot">
          Get a new link
        </Button>
      </SpentLink>
    )
  return (
    <CardPage title="Set a new password" note="You will be signed out everywhere.">
      <PersonForm
        path="password"
        label="Set the password"
        bodyOf={fields => ({ token, ...fields })}
        onDone={() => navigate({ to: '/signin' })}
      >
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
      </PersonForm>
    </CardPage>
  )
}
