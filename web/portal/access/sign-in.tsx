import { Button, Group, Text, TextInput } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { type FormEvent, useState } from 'react'
import { useChange } from '../shared/api.ts'
import { look } from '../shared/look.ts'
import { PageLink } from '../shared/router.tsx'
import { Problem } from '../shared/states.tsx'
import { AccessCard } from './access-card.tsx'

const texts = pages.signIn

/** Requests a sign-in link by email. The response is the same whether or not the address is known. */
export function SignIn() {
  const [email, setEmail] = useState('')
  const request = useChange('requestSignInLink')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    request.mutate({ body: { email: email.trim() } })
  }
  if (!look.mails_links || !look.sends_emails)
    return (
      <AccessCard title={texts.title}>
        <Text>{look.mails_links ? texts.askCompany(look.name) : texts.byCompany(look.name)}</Text>
      </AccessCard>
    )
  if (request.isSuccess)
    return (
      <AccessCard title={texts.sent}>
        <Text role="status">{texts.sentText(email.trim())}</Text>
        <Button variant="subtle" onClick={() => request.reset()}>
          {texts.again}
        </Button>
      </AccessCard>
    )
  return (
    <AccessCard title={texts.title}>
      <Text c="dimmed">{texts.text}</Text>
      <form onSubmit={submit}>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="email"
          required
          size="md"
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
        />
        {request.error && <Problem error={request.error} />}
        <Button type="submit" fullWidth size="md" mt="md" loading={request.isPending}>
          {texts.button}
        </Button>
      </form>
      {look.campaigns.some(({ is_open }) => is_open) && (
        <Group justify="center" gap={6}>
          <Text size="sm">{texts.orJoin}</Text>
          <PageLink to="/join" size="sm">
            {texts.join}
          </PageLink>
        </Group>
      )}
    </AccessCard>
  )
}
