import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { useCall, useChange } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { texts } from './en.ts'
import { NoEmail } from './no-email.tsx'

const { contact: labels } = texts

/** Confirms an invitation by email. Without an SMTP server, it offers a link to pass on instead. */
export function InviteAffiliate({
  affiliate,
  onLink,
  onClose,
}: {
  affiliate: AffiliateDetail
  onLink: () => void
  onClose: () => void
}) {
  useReturnsFocus()
  const account = useCall('getAccount')
  const invite = useChange('inviteAffiliate', {
    isQuiet: true,
    done: ({ to }) => labels.invited(to),
    onDone: onClose,
  })
  const sendsEmail = account.data?.mail_from !== null
  return (
    <Modal
      opened
      onClose={onClose}
      title={labels.inviteTitle(affiliate.name ?? affiliate.email)}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <Stack gap="sm">
        {invite.error && (
          <Alert color="red" role="alert" variant="light">
            {invite.error.message}
          </Alert>
        )}
        {account.isPending ? (
          <Skeleton height={48} role="status" aria-label={shared.states.loading} />
        ) : sendsEmail ? (
          <Text size="sm">{labels.inviteNote(affiliate.email)}</Text>
        ) : (
          <NoEmail instead={labels.linkInstead} />
        )}
        <Group justify="flex-end" mt="xs">
          <Button variant="default" onClick={onClose}>
            {shared.actions.cancel}
          </Button>
          {sendsEmail ? (
            <Button
              loading={invite.isPending}
              disabled={account.isPending}
              onClick={() => invite.mutate({ id: affiliate.id })}
              data-autofocus
            >
              {labels.sendInvitation}
            </Button>
          ) : (
            <Button onClick={onLink} data-autofocus>
              {labels.copyLink}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
