import { ActionIcon, Button, Group, Menu, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import type { Invitation, Member } from '@tributary/contract/dashboard'
import { roles } from '@tributary/contract/dashboard/permissions'
import { useState } from 'react'
import { words } from '../../ui/format.ts'
import { useCall, useChange, useMay, useSessionInfo } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { ChangeRole, InviteMember } from './member-dialogs.tsx'
import { roleWords } from './role-picker.tsx'
import { SettingsSection } from './settings-section.tsx'

export function TeamSettings() {
  const team = useCall('listTeam')
  const mayChange = useMay('team')
  const [isInviting, setInviting] = useState(false)
  return (
    <SettingsSection
      title="Team"
      note={mayChange ? 'Who may do what here.' : 'Who may do what here. Owners can change it.'}
      action={
        <Group gap="xs">
          <ExportLink route="exportTeam" />
          {mayChange && (
            <Button leftSection={<PlusIcon size={16} />} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )}
        </Group>
      }
    >
      {isInviting && <InviteMember onClose={() => setInviting(false)} />}
      {team.isPending && <Skeleton height={200} aria-label="Loading" />}
      {team.isError && <ErrorNotice error={team.error} retry={() => void team.refetch()} />}
      {team.data && (
        <Stack gap="lg">
          <Members members={team.data.members} mayChange={mayChange} />
          {team.data.invitations.length > 0 && (
            <Invitations invitations={team.data.invitations} mayChange={mayChange} />
          )}
          <section>
            <Title order={3} size="h5" mb="xs">
              What each role may do
            </Title>
            <FactList facts={roles.map(role => [words(role), roleWords[role]])} />
          </section>
        </Stack>
      )}
    </SettingsSection>
  )
}

function Members({ members, mayChange }: { members: Member[]; mayChange: boolean }) {
  const { user } = useSessionInfo()
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={460} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Members">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Member</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Joined</Table.Th>
              {mayChange && <Table.Th>Actions</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map(member => (
              <Table.Tr key={member.id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {member.name ?? member.email}{' '}
                  {member.id === user.id && (
                    <Text span inherit c="dimmed">
                      (you)
                    </Text>
                  )}
                  {member.name && (
                    <Text size="xs" c="dimmed">
                      {member.email}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{words(member.role)}</Table.Td>
                <Table.Td>
                  <When time={member.created_at} />
                </Table.Td>
                {mayChange && (
                  <Table.Td>
                    <MemberActions member={member} isSelf={member.id === user.id} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function MemberActions({ member, isSelf }: { member: Member; isSelf: boolean }) {
  const [dialog, setDialog] = useState<'role' | 'remove' | null>(null)
  const close = () => setDialog(null)
  const remove = useChange('removeMember', { done: `${member.email} is off the team.` })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label={`Change ${member.email}`}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('role')}>Change role…</Menu.Item>
          <Menu.Item color="red" onClick={() => setDialog('remove')}>
            {isSelf ? 'Leave the team…' : 'Remove…'}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'role' && <ChangeRole member={member} isSelf={isSelf} onClose={close} />}
      {dialog === 'remove' && (
        <ConfirmDialog
          title={isSelf ? 'Leave the team?' : `Remove ${member.name ?? member.email}?`}
          confirm={isSelf ? 'Leave' : 'Remove'}
          colour="red"
          onClose={close}
          onConfirm={() => {
            close()
            remove.mutate({ id: member.id })
          }}
        >
          <Text size="sm">
            {isSelf
              ? 'You lose access to this account at once. An owner who stays can invite you again.'
              : 'They lose access to this account at once. What they did stays in the audit log.'}
          </Text>
        </ConfirmDialog>
      )}
    </>
  )
}

function Invitations({ invitations, mayChange }: { invitations: Invitation[]; mayChange: boolean }) {
  const withdraw = useChange('withdrawInvitation', { done: 'The invitation is withdrawn.' })
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        Invited
      </Title>
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Invitations">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Email</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Invited</Table.Th>
                <Table.Th>Expires</Table.Th>
                {mayChange && <Table.Th>Actions</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {invitations.map(({ id, email, role, created_at, expires_at }) => (
                <Table.Tr key={id}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{email}</Table.Td>
                  <Table.Td>{words(role)}</Table.Td>
                  <Table.Td>
                    <When time={created_at} />
                  </Table.Td>
                  <Table.Td>
                    <When time={expires_at} withTime />
                  </Table.Td>
                  {mayChange && (
                    <Table.Td>
                      <Group gap="xs">
                        <Button
                          size="xs"
                          variant="light"
                          color="red"
                          disabled={withdraw.isPending}
                          onClick={() => withdraw.mutate({ id })}
                        >
                          Withdraw
                        </Button>
                      </Group>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {mayChange && (
        <Text size="xs" c="dimmed" mt="xs">
          Was the mail lost? Invite the same address again: the new link takes the place of the old one.
        </Text>
      )}
    </section>
  )
}
