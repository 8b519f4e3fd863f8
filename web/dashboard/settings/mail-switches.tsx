import { Divider, Paper, Stack, Switch, Text, Title } from '@mantine/core'
import {
  type AffiliateMail,
  type OptionalMail,
  optionalMails,
  requiredMails,
} from '@tributary/contract/dashboard/mails'
import { useCall, useChange, useMay } from '../shared/account.tsx'

const kinds: Record<AffiliateMail, { label: string; note?: string }> = {
  sign_in_link: {
    label: 'Links to sign in',
    note: 'Without them, affiliates come in by links that your own site makes with the API.',
  },
  joined: { label: 'Welcome, after joining by themselves' },
  approved: { label: 'Approved' },
  rejected: { label: 'Rejected' },
  first_commission: { label: 'First commission' },
  payout_sent: { label: 'Payout sent' },
  payout_failed: { label: 'Payout failed' },
  paypal_changed: {
    label: 'PayPal address changed',
    note: 'To the old address too, so that a theft is noticed.',
  },
  email_changed: {
    label: 'Sign-in address changed',
    note: 'To the old address.',
  },
}

/** Which mails affiliates get; each is saved as it is switched. */
export function MailSwitches() {
  const portal = useCall('getPortal')
  const mayChange = useMay('settings')
  const save = useChange('updatePortal')
  if (!portal.data) return null
  const silent = portal.data.silent_mails
  const flip = (kind: OptionalMail, isOn: boolean) =>
    save.mutate({
      body: { silent_mails: isOn ? silent.filter(each => each !== kind) : [...silent, kind] },
    })
  return (
    <Paper withBorder p="md" maw={620}>
      <Title order={3} size="h5" mb="sm">
        Mails to affiliates
      </Title>
      <Stack gap="xs">
        {optionalMails.map(kind => (
          <Switch
            key={kind}
            label={kinds[kind].label}
            description={kinds[kind].note}
            checked={!silent.includes(kind)}
            disabled={!mayChange || save.isPending}
            onChange={event => flip(kind, event.currentTarget.checked)}
          />
        ))}
        <Divider label="Always sent" labelPosition="left" mt="xs" />
        {requiredMails.map(kind => (
          <div key={kind}>
            <Text size="sm">{kinds[kind].label}</Text>
            <Text size="xs" c="dimmed">
              {kinds[kind].note}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  )
}
