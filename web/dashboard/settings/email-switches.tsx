import { Divider, Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { type OptionalMail, optionalMails, requiredMails } from '@tributary/contract/dashboard/mails'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { texts } from './en.ts'

const { email: labels } = texts

/** Which emails affiliates get. Each switch saves immediately. */
export function EmailSwitches() {
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
        {labels.switches}
      </Title>
      <Stack gap="xs">
        {optionalMails.map(kind => (
          <Switch
            key={kind}
            label={labels.kinds[kind].label}
            description={labels.kinds[kind].note}
            checked={!silent.includes(kind)}
            disabled={!mayChange || save.isPending}
            onChange={event => flip(kind, event.currentTarget.checked)}
          />
        ))}
        <Divider label={labels.alwaysSent} labelPosition="left" mt="xs" />
        {requiredMails.map(kind => (
          <div key={kind}>
            <Text size="sm">{labels.kinds[kind].label}</Text>
            <Text size="xs" c="dimmed">
              {labels.kinds[kind].note}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  )
}
