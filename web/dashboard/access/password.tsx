import { Anchor, Button, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { personCall } from '../shared/api.ts'
import { CodeText } from '../shared/code-text.tsx'
import { texts as shared } from '../shared/en.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { CardPage } from './card-page.tsx'
import { texts } from './en.ts'
import { ExpiredLink } from './expired-link.tsx'
import { PersonForm } from './person-form.tsx'

const BackToSignIn = () => (
  <Anchor component={Link} to="/signin" size="sm" ta="center">
    {texts.signIn.back}
  </Anchor>
)

/** Requests a reset link by email. */
export function Forgot() {
  const [sent, setSent] = useState<{ sends_emails: boolean }>()
  if (sent && !sent.sends_emails)
    return (
      <CardPage title={texts.forgot.noEmailTitle}>
        <Stack>
          <Text>
            <CodeText>{texts.forgot.noEmail}</CodeText>
          </Text>
          <BackToSignIn />
        </Stack>
      </CardPage>
    )
  if (sent)
    return (
      <CardPage title={texts.forgot.sentTitle}>
        <Stack>
          <Text>{texts.forgot.sent}</Text>
          <BackToSignIn />
        </Stack>
      </CardPage>
    )
  return (
    <CardPage title={texts.forgot.title} note={texts.forgot.note}>
      <PersonForm
        path="password/reset"
        label={texts.forgot.submit}
        onDone={result => setSent(result as { sends_emails: boolean })}
        below={<BackToSignIn />}
      >
        <TextInput
          label={texts.fields.email}
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
        />
      </PersonForm>
    </CardPage>
  )
}

/** Sets the new password. The token is in the URL fragment, which never reaches a server log. */
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
      <CardPage title={texts.reset.title}>
        <Loader role="status" aria-label={shared.states.loading} />
      </CardPage>
    )
  if (link.isError)
    return (
      <ExpiredLink error={link.error} title={texts.reset.expired}>
        <Button component={Link} to="/forgot">
          {texts.reset.newLink}
        </Button>
      </ExpiredLink>
    )
  return (
    <CardPage title={texts.reset.title} note={texts.reset.note}>
      <PersonForm
        path="password"
        label={texts.reset.submit}
        bodyOf={fields => ({ token, ...fields })}
        onDone={() => navigate({ to: '/signin' })}
      >
        <TextInput
          type="password"
          label={texts.fields.newPassword}
          name="password"
          description={texts.fields.passwordHint}
          autoComplete="new-password"
          minLength={8}
          required
          autoFocus
        />
      </PersonForm>
    </CardPage>
  )
}
