import { Alert, Button, Group, Stack, Switch, Text, TextInput, Title } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { type FormEvent, useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { useChange } from '../shared/api.ts'
import { look } from '../shared/look.ts'
import { useMe } from '../shared/me.tsx'
import { hrefOf } from '../shared/router.tsx'
import { Card, GoButton, PageHead, Problem } from '../shared/states.tsx'
import { LeaderboardForm } from './leaderboard-form.tsx'
import { Save } from './save.tsx'

const texts = pages.settings

export function Settings() {
  return (
    <>
      <PageHead title={texts.title} />
      <Stack maw={560}>
        <NameForm />
        <PayPalForm />
        <LeaderboardForm />
        <DigestSwitch />
        <Group>
          <GoButton to="/campaigns">{pages.links.more}</GoButton>
          {useMe().view === null && <SignOut />}
        </Group>
      </Stack>
    </>
  )
}

function NameForm() {
  const me = useMe()
  const [name, setName] = useState(me.name ?? '')
  const change = useChange('updateMe')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ body: { name: name.trim() || null } })
  }
  return (
    <Card>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label={texts.name}
            autoComplete="name"
            maxLength={255}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
          <div>
            <Text size="sm" fw={500}>
              {texts.email}
            </Text>
            <Text>
              <Breakable>{me.email}</Breakable>
            </Text>
            <Text size="sm" c="dimmed">
              {texts.emailText}
            </Text>
          </div>
          <Save change={change} />
        </Stack>
      </form>
    </Card>
  )
}

/** Whether they get the monthly digest, if the company sends one. Saves immediately. */
function DigestSwitch() {
  const { digest, view } = useMe()
  const change = useChange('subscribeToDigest')
  if (digest === null) return null
  return (
    <Card>
      <Switch
        label={texts.digest}
        description={texts.digestText}
        checked={digest}
        disabled={view !== null || change.isPending}
        onChange={event => change.mutate({ body: { is_subscribed: event.currentTarget.checked } })}
      />
      {change.error && <Problem error={change.error} />}
    </Card>
  )
}

/** The payout address. Changing it requires a recent sign-in. */
function PayPalForm() {
  const me = useMe()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {texts.paypal}
        </Title>
        <Text>
          <Breakable>{me.paypal_email ?? texts.noPaypal}</Breakable>
        </Text>
        <Text size="sm" c="dimmed">
          {texts.paypalText}
        </Text>
        {!isOpen && (
          <div>
            <Button variant="default" disabled={me.view !== null} onClick={() => setIsOpen(true)}>
              {texts.change}
            </Button>
          </div>
        )}
        {isOpen && (me.is_fresh ? <NewAddress onDone={() => setIsOpen(false)} /> : <FreshSignIn />)}
      </Stack>
    </Card>
  )
}

function NewAddress({ onDone }: { onDone: () => void }) {
  const me = useMe()
  const [address, setAddress] = useState(me.paypal_email ?? '')
  const change = useChange('changePayPal', onDone)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ body: { paypal_email: address.trim() || null } })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={texts.paypal}
          description={look.sends_emails ? `${texts.notified} ${texts.remove}` : texts.remove}
          type="email"
          autoComplete="email"
          value={address}
          onChange={event => setAddress(event.currentTarget.value)}
        />
        {change.error && <Problem error={change.error} />}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {pages.common.save}
          </Button>
          <Button variant="subtle" onClick={onDone}>
            {pages.common.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function FreshSignIn() {
  const me = useMe()
  const request = useChange('requestSignInLink')
  const mailsLinks = look.mails_links && look.sends_emails
  return (
    <Alert color="yellow" title={texts.fresh}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{mailsLinks ? texts.freshText : texts.linkByCompany(look.name)}</Text>
        {request.error && <Problem error={request.error} />}
        {mailsLinks &&
          (request.isSuccess ? (
            <Text size="sm" role="status">
              {texts.linkSent}
            </Text>
          ) : (
            <Button
              size="sm"
              loading={request.isPending}
              onClick={() => request.mutate({ body: { email: me.email } })}
            >
              {texts.sendLink}
            </Button>
          ))}
      </Stack>
    </Alert>
  )
}

function SignOut() {
  // A full reload clears all cached data.
  const leave = () => window.location.assign(hrefOf('/sign-in'))
  const here = useChange('signOut', leave)
  const everywhere = useChange('signOutEverywhere', leave)
  return (
    <>
      <Button variant="default" loading={here.isPending} onClick={() => here.mutate({})}>
        {texts.signOut}
      </Button>
      <Button
        variant="subtle"
        color="gray"
        loading={everywhere.isPending}
        onClick={() => everywhere.mutate({})}
      >
        {texts.signOutEverywhere}
      </Button>
    </>
  )
}
