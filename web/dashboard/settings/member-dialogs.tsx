import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Member } from '@tributary/contract/dashboard'
import type { Role } from '@tributary/contract/dashboard/permissions'
import { useState } from 'react'
import { useCall, useChange } from '../shared/account.tsx'
import { queryKeys } from '../shared/query-keys.ts'
import { ShownOnce } from '../shared/shown-once.tsx'
import { RolePicker } from './role-picker.tsx'

export function InviteMember({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [link, setLink] = useState<string | null>(null)
  const sendsMail = useCall('getAccount').data?.mail_from !== null
  const invite = useChange('invite', {
    isQuiet: true,
    done: made => (made.link === null ? `An invitation is on its way to ${email}.` : null),
    onDone: made => (made.link === null ? onClose() : setLink(made.link)),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={link ? 'The invitation' : 'Invite to the team'}
      size="lg"
      closeOnClickOutside={link === null}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {link ? (
        <ShownOnce value={link} name="link" onClose={onClose}>
          <Text size="sm">
            No mail server is set, so nothing was sent: give this link to {email} yourself. It works once,
            within 7 days.
          </Text>
        </ShownOnce>
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            invite.mutate({ body: { email: email.trim(), role } })
          }}
        >
          <Stack>
            {invite.error && (
              <Alert color="red" role="alert" variant="light">
                {invite.error.message}
              </Alert>
            )}
            <TextInput
              label="Email"
              description={
                sendsMail ? 'They get a link by mail.' : 'No mail server is set: you get a link to pass on.'
              }
              type="email"
              value={email}
              onChange={event => setEmail(event.currentTarget.value)}
              maxLength={254}
              required
              data-autofocus
            />
            <RolePicker value={role} onChange={setRole} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={invite.isPending}>
                {sendsMail ? 'Send the invitation' : 'Make the link'}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

export function ChangeRole({
  member,
  isSelf,
  onClose,
}: {
  member: Member
  isSelf: boolean
  onClose: () => void
}) {
  const [role, setRole] = useState<Role>(member.role)
  const queries = useQueryClient()
  const change = useChange('changeRole', {
    isQuiet: true,
    done: `${member.email} is now ${role}.`,
    onDone: () => {
      // What one may do oneself shows on every page.
      if (isSelf) void queries.invalidateQueries({ queryKey: queryKeys.session() })
      onClose()
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Role of ${member.name ?? member.email}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          change.mutate({ id: member.id, body: { role } })
        }}
      >
        <Stack>
          {change.error && (
            <Alert color="red" role="alert" variant="light">
              {change.error.message}
            </Alert>
          )}
          <RolePicker value={role} onChange={setRole} />
          {isSelf && role !== 'owner' && (
            <Alert color="yellow" variant="light">
              This is you: afterwards you cannot change it back yourself.
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={role === member.role}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
