import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { CardPage } from './card-page.tsx'
import { PersonForm } from './person-form.tsx'

export function SetUp() {
  const navigate = useNavigate()
  return (
    <CardPage title="Set up Tributary" note="This makes the first account and its owner: you.">
      <PersonForm path="setup" label="Create account" onDone={() => navigate({ to: '/' })}>
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
      </PersonForm>
    </CardPage>
  )
}
