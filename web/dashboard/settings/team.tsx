import { ActionIcon, Button, Group, Menu, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Invitation, Member } from '@tributary/contract/dashboard'
import { roles } from '@tributary/contract/dashboard/permissions'
import { useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { useCall, useChange, useMay, useSessionInfo } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { ChangeRole, InviteMember } from './member-dialogs.tsx'
import { SettingsSection } from './settings-section.tsx'

const { team: labels } = texts

export function TeamSettings() {
  const team = useCall('listTeam')
  const mayChange = useMay('team')
  const [isInviting, setInviting] = useState(false)
  return (
    <SettingsSection
      title={texts.sections.team}
      note={mayChange ? labels.note : labels.noteReadOnly}
      action={
        <Group gap="xs">
          <ExportLink route="exportTeam" />
          {mayChange && (
            <Button leftSection={<PlusIcon size={16} />} onClick={() => setInviting(true)}>
              {labels.invite}
            </Button>
          )}
        </Group>
      }
    >
      {isInviting && <InviteMember onClose={() => setInviting(false)} />}
      {team.isPending && <Skeleton height={200} role="status" aria-label={shared.states.loading} />}
      {team.isError && <ErrorNotice error={team.error} retry={() => void team.refetch()} />}
      {team.data && (
        <Stack gap="lg">
          <Members members={team.data.members} mayChange={mayChange} />
          {team.data.invitations.length > 0 && (
            <Invitations invitations={team.data.invitations} mayChange={mayChange} />
          )}
          <section>
            <Title order={3} size="h5" mb="xs">
              {labels.roles}
            </Title>
            <FactList facts={roles.map(role => [texts.roles[role].name, texts.roles[role].note])} />
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
        <Table aria-label={labels.members}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{labels.columns.member}</Table.Th>
              <Table.Th>{labels.columns.role}</Table.Th>
              <Table.Th>{labels.columns.joined}</Table.Th>
              {mayChange && <Table.Th>{labels.columns.actions}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map(member => (
              <Table.Tr key={member.id}>
                <Table.Td>
                  <Breakable>{member.name ?? member.email}</Breakable>{' '}
                  {member.id === user.id && (
                    <Text span inherit c="dimmed">
                      {labels.you}
                    </Text>
                  )}
                  {member.name && (
                    <Text size="xs" c="dimmed">
                      <Breakable>{member.email}</Breakable>
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{texts.roles[member.role].name}</Table.Td>
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
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useChange('removeMember', {
    done: isSelf ? labels.left : labels.removed(member.email),
    onDone: () => {
      if (!isSelf) return
      // The session lists the account that was left.
      queries.removeQueries()
      void navigate({ to: '/' })
    },
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label={labels.actionsFor(member.email)}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('role')}>{labels.changeRole}</Menu.Item>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog('remove')}>
            {isSelf ? labels.leave : labels.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'role' && <ChangeRole member={member} isSelf={isSelf} onClose={close} />}
      {dialog === 'remove' && (
        <ConfirmDialog
          title={isSelf ? labels.leaveTitle : labels.removeTitle(member.name ?? member.email)}
          confirm={isSelf ? labels.leaveConfirm : labels.removeConfirm}
          colour="red"
          onClose={close}
          onConfirm={() => {
            close()
            remove.mutate({ id: member.id })
          }}
        >
          <Text size="sm">{isSelf ? labels.leaveNote : labels.removeNote}</Text>
        </ConfirmDialog>
      )}
    </>
  )
}

function Invitations({ invitations, mayChange }: { invitations: Invitation[]; mayChange: boolean }) {
  const revoke = useChange('withdrawInvitation', { done: labels.invitationRevoked })
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        {labels.invitations}
      </Title>
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={labels.invitations}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{labels.columns.email}</Table.Th>
                <Table.Th>{labels.columns.role}</Table.Th>
                <Table.Th>{labels.columns.invited}</Table.Th>
                <Table.Th>{labels.columns.expires}</Table.Th>
                {mayChange && <Table.Th>{labels.columns.actions}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {invitations.map(({ id, email, role, created_at, expires_at }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <Breakable>{email}</Breakable>
                  </Table.Td>
                  <Table.Td>{texts.roles[role].name}</Table.Td>
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
                          disabled={revoke.isPending}
                          onClick={() => revoke.mutate({ id })}
                        >
                          {labels.revokeInvitation}
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
          {labels.resendNote}
        </Text>
      )}
    </section>
  )
}
