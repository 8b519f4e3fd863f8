import { Button, Loader, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { personCall } from '../shared/api.ts'
import { texts as shared } from '../shared/en.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { CardPage } from './card-page.tsx'
import { texts } from './en.ts'
import { ExpiredLink } from './expired-link.tsx'
import { PersonForm } from './person-form.tsx'

const { fields } = texts

interface Invited {
  account_name: string
  email: string
  role: string
  is_known: boolean
}

/** Joins a team. The token is in the URL fragment, which never reaches a server log. */
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
      <CardPage title={texts.invitation.title}>
        <Loader role="status" aria-label={shared.states.loading} />
      </CardPage>
    )
  if (invited.isError)
    return (
      <ExpiredLink error={invited.error} title={texts.invitation.expired}>
        <Text>{texts.invitation.askAgain}</Text>
        <Button component={Link} to="/signin">
          {texts.signIn.submit}
        </Button>
      </ExpiredLink>
    )
  const { account_name, email, role, is_known } = invited.data
  return (
    <CardPage title={texts.invitation.join(account_name)} note={texts.invitation.invited(email, role)}>
      <PersonForm
        path="invitation/accept"
        label={texts.invitation.submit}
        bodyOf={({ password, name }) => ({ token, password, ...(name ? { name } : {}) })}
        onDone={() => navigate({ to: '/' })}
      >
        {is_known ? (
          <Text size="sm">{texts.invitation.existingUser}</Text>
        ) : (
          <TextInput label={fields.name} name="name" autoComplete="name" maxLength={255} />
        )}
        <TextInput
          type="password"
          label={fields.password}
          name="password"
          description={is_known ? undefined : fields.passwordHint}
          autoComplete={is_known ? 'current-password' : 'new-password'}
          minLength={8}
          required
        />
      </PersonForm>
    </CardPage>
  )
}
