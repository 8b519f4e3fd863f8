import { Button, Loader, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { personCall } from '../shared/api.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { CardPage } from './card-page.tsx'
import { PersonForm } from './person-form.tsx'
import { SpentLink } from './spent-link.tsx'

interface Invited {
  account_name: string
  email: string
  role: string
  is_known: boolean
}

/** Joins a team. The token stands behind the #, which never reaches a server's log. */
export function AcceptInvitation() {
  const navigate = useNavigate()
  const token = window.location.hash.slice(1)
  const invited = useQuery({
    queryKey: queryKeys.invitation(token),
    queryFn: () => personCall<Invited>('POST', 'invitation', { token }),
    retry: false,
  })
  if (invited.isPending)
    return (
      <CardPage title="Invitation">
        <Loader aria-label="Loading" />
      </CardPage>
    )
  if (invited.isError)
    return (
      <SpentLink error={invited.error} title="This invitation doesn't work anymore">
        <Text>Ask an owner of the team to invite you again. Already a member?</Text>
        <Button component={Link} to="/signin">
          Sign in
        </Button>
      </SpentLink>
    )
  const { account_name, email, role, is_known } = invited.data
  return (
    <CardPage title={`Join ${account_name}`} note={`As ${role}, with ${email}`}>
      <PersonForm
        path="invitation/accept"
        label="Accept"
        bodyOf={({ password, name }) => ({ token, password, ...(name ? { name } : {}) })}
        onDone={() => navigate({ to: '/' })}
      >
        {is_known ? (
          <Text size="sm">You have an account here: enter your password to accept.</Text>
        ) : (
          <TextInput label="Name" name="name" autoComplete="name" maxLength={255} />
        )}
        <TextInput
          type="password"
          label="Password"
          name="password"
          description={is_known ? undefined : 'At least 8 characters'}
          autoComplete={is_known ? 'current-password' : 'new-password'}
          minLength={8}
          required
        />
      </PersonForm>
    </CardPage>
  )
}
