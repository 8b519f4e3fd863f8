import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Member } from '@tributary/contract/dashboard'
import type { Role } from '@tributary/contract/dashboard/permissions'
import { useState } from 'react'
import { useCall, useChange } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { queryKeys } from '../shared/query-keys.ts'
import { ShownOnce } from '../shared/shown-once.tsx'
import { texts } from './en.ts'
import { RolePicker } from './role-picker.tsx'

const { changeRole, invite: labels } = texts

export function InviteMember({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [link, setLink] = useState<string | null>(null)
  const sendsEmail = useCall('getAccount').data?.mail_from !== null
  const invite = useChange('invite', {
    isQuiet: true,
    done: made => (made.link === null ? labels.sent(email) : null),
    onDone: made => (made.link === null ? onClose() : setLink(made.link)),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={link ? labels.linkTitle : labels.title}
      size="lg"
      closeOnClickOutside={link === null}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      {link ? (
        <ShownOnce value={link} name={labels.linkName} onClose={onClose}>
          <Text size="sm">{sendsEmail ? labels.sentLinkNote(email) : labels.linkNote(email)}</Text>
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
              label={labels.email}
              description={sendsEmail ? labels.emailHint : labels.noEmailHint}
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
                {shared.actions.cancel}
              </Button>
              <Button type="submit" loading={invite.isPending}>
                {sendsEmail ? labels.send : labels.createLink}
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
    done: changeRole.done(member.email, role),
    onDone: () => {
      // Every page depends on the user's own role.
      if (isSelf) void queries.invalidateQueries({ queryKey: queryKeys.session() })
      onClose()
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={changeRole.title(member.name ?? member.email)}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
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
              {changeRole.own}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" loading={change.isPending} disabled={role === member.role}>
              {shared.actions.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
