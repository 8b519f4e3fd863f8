import { Alert, Button, Group, Modal, Paper, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core'
import type { ApiKeySummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { ShownOnce } from '../shared/shown-once.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { SettingsSection } from './settings-section.tsx'

export function ApiKeySettings() {
  const keys = useCall('listApiKeys')
  const [isCreating, setCreating] = useState(false)
  return (
    <SettingsSection
      title="API keys"
      note={
        <>
          What your programs call the <a href="/docs">API</a> with. A key may do everything in this account,
          and keeps working when whoever created it leaves the team.
        </>
      }
      action={
        <Group gap="xs">
          <ExportLink route="exportApiKeys" />
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
            Create key
          </Button>
        </Group>
      }
    >
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
      {keys.isPending && <Skeleton height={160} aria-label="Loading" />}
      {keys.isError && <ErrorNotice error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && <KeyTable keys={keys.data.data} />}
    </SettingsSection>
  )
}

function KeyTable({ keys }: { keys: ApiKeySummary[] }) {
  if (keys.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title="No key yet">
          Create one for each program that reports sales or reads from here, so that each can be revoked
          alone.
        </EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label="API keys">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Key</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map(key => (
              <Table.Tr key={key.id}>
                <Table.Td miw={120} style={{ overflowWrap: 'anywhere' }}>
                  {key.name}
                </Table.Td>
                <Table.Td>
                  <code style={{ whiteSpace: 'nowrap' }}>trib_…{key.last_four}</code>
                </Table.Td>
                <Table.Td>
                  <When time={key.created_at} />
                  {key.created_by && (
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      {key.created_by}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <When time={key.last_used_at} withTime />
                </Table.Td>
                <Table.Td>
                  {key.revoked_at ? <Revoked time={key.revoked_at} /> : <RevokeKey apiKey={key} />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function Revoked({ time }: { time: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Status value="revoked" />
      <Text size="xs" c="dimmed">
        <When time={time} />
      </Text>
    </Group>
  )
}

function RevokeKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const [isAsking, setAsking] = useState(false)
  const revoke = useChange('revokeApiKey', { done: `${apiKey.name} is revoked.` })
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        loading={revoke.isPending}
        onClick={() => setAsking(true)}
      >
        Revoke
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Revoke ${apiKey.name}?`}
          confirm="Revoke"
          colour="red"
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            revoke.mutate({ id: apiKey.id })
          }}
        >
          <Text size="sm">
            Requests with <code>trib_…{apiKey.last_four}</code> are refused from then on. This cannot be
            undone: a program that still uses it needs another key.
          </Text>
          {apiKey.last_used_at && (
            <Text size="sm">
              It was last used <When time={apiKey.last_used_at} withTime />.
            </Text>
          )}
        </ConfirmDialog>
      )}
    </>
  )
}

function CreateKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [key, setKey] = useState<string | null>(null)
  const create = useChange('createApiKey', { onDone: made => setKey(made.key), isQuiet: true })
  return (
    <Modal
      opened
      onClose={onClose}
      title={key ? 'The new key' : 'Create an API key'}
      size="lg"
      // A slip of the mouse must not lose the key.
      closeOnClickOutside={key === null}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {key ? (
        <ShownOnce value={key} name="key" onClose={onClose}>
          <SourceText
            text={`curl ${window.location.origin}/api/v1/campaigns -H "Authorization: Bearer ${key}"`}
            label="example"
            tools={<Text size="sm">Try it:</Text>}
          />
        </ShownOnce>
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            create.mutate({ body: { name: name.trim() } })
          }}
        >
          <Stack>
            {create.error && (
              <Alert color="red" role="alert" variant="light">
                {create.error.message}
              </Alert>
            )}
            <TextInput
              label="Name"
              description="What it is for, such as the program that uses it."
              placeholder="backend"
              value={name}
              onChange={event => setName(event.currentTarget.value)}
              maxLength={255}
              required
              data-autofocus
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                Create
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
