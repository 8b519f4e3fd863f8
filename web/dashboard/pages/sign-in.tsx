import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { CardPage } from '../parts/card-page.tsx'
import { fieldsOf, usePersonForm } from '../parts/person-form.ts'

export function SignIn() {
  const router = useRouter()
  const { from } = useSearch({ strict: false }) as { from?: string }
  const { submit, error, isBusy } = usePersonForm('session', () => {
    // Only a path of this site: an address from elsewhere must not become a way out.
    const target = from?.startsWith('/dashboard/') ? from : '/dashboard/'
    router.history.push(target)
  })
  return (
    <CardPage title="Sign in">
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
          <TextInput
            type="password"
            label="Password"
            name="password"
            autoComplete="current-password"
            required
          />
          <Button type="submit" loading={isBusy}>
            Sign in
          </Button>
          <Anchor component={Link} to="/forgot" size="sm" ta="center">
            Forgot your password?
          </Anchor>
        </Stack>
      </form>
    </CardPage>
  )
}
