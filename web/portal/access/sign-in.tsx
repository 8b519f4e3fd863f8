import { Button, Group, Text, TextInput } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { type FormEvent, useState } from 'react'
import { useChange } from '../shared/api.ts'
import { look } from '../shared/look.ts'
import { PageLink } from '../shared/router.tsx'
import { Problem } from '../shared/states.tsx'
import { DoorCard } from './door.tsx'

const texts = pages.signIn

/** Asks for a link by mail. The answer is the same whether or not the address is known. */
export function SignIn() {
  const [email, setEmail] = useState('')
  const ask = useChange('askForLink')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate({ body: { email: email.trim() } })
  }
  if (!look.mails_links)
    return (
      <DoorCard title={texts.title}>
        <Text>{texts.byCompany(look.name)}</Text>
      </DoorCard>
    )
  if (ask.isSuccess)
    return (
      <DoorCard title={texts.sent}>
        <Text role="status">{texts.sentText(email.trim())}</Text>
        <Button variant="subtle" onClick={() => ask.reset()}>
          {texts.again}
        </Button>
      </DoorCard>
    )
  return (
    <DoorCard title={texts.title}>
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
        {ask.error && <Problem error={ask.error} />}
        <Button type="submit" fullWidth size="md" mt="md" loading={ask.isPending}>
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
    </DoorCard>
  )
}
