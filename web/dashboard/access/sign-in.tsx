import { Anchor, TextInput } from '@mantine/core'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { CardPage } from './card-page.tsx'
import { PersonForm } from './person-form.tsx'
import { signInTarget } from './sign-in-target.ts'

export function SignIn() {
  const router = useRouter()
  const { from } = useSearch({ from: '/signin' })
  return (
    <CardPage title="Sign in">
      <PersonForm
        path="session"
        label="Sign in"
        onDone={() => router.history.push(signInTarget(from))}
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
