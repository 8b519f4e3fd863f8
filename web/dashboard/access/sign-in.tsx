import { Anchor, TextInput } from '@mantine/core'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { CardPage } from './card-page.tsx'
import { texts } from './en.ts'
import { PersonForm } from './person-form.tsx'
import { signInTarget } from './sign-in-target.ts'

export function SignIn() {
  const router = useRouter()
  const { from } = useSearch({ from: '/signin' })
  return (
    <CardPage title={texts.signIn.title}>
      <PersonForm
        path="session"
        label={texts.signIn.submit}
        onDone={() => router.history.push(signInTarget(from))}
        below={
          <Anchor component={Link} to="/forgot" size="sm" ta="center">
            {texts.signIn.forgot}
          </Anchor>
        }
      >
        <TextInput
          label={texts.fields.email}
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
        />
        <TextInput
          type="password"
          label={texts.fields.password}
          name="password"
          autoComplete="current-password"
          required
        />
      </PersonForm>
    </CardPage>
  )
}
