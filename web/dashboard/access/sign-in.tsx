import { Anchor, TextInput } from '@mantine/core'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { CardPage } from './card-page.tsx'
import { PersonForm } from './person-form.tsx'

export function SignIn() {
  const router = useRouter()
  const { from } = useSearch({ from: '/signin' })
  // Only a path of this site: an address from elsewhere must not become a way out.
  const target = from?.startsWith('/dashboard/') ? from : '/dashboard/'
  return (
    <CardPage title="Sign in">
      <PersonForm
        path="session"
        label="Sign in"
        onDone={() => router.history.push(target)}
        below={
          <Anchor component={Link} to="/forgot" size="sm" ta="center">
            Forgot your password?
          </Anchor>
        }
      >
        <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <TextInput
          type="password"
          label="Password"
          name="password"
          autoComplete="current-password"
          required
        />
      </PersonForm>
    </CardPage>
  )
}
