import {
  Alert,
  Anchor,
  Button,
  Group,
  Modal,
  Paper,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core'
import type { ApiKeySummary } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { ShownOnce } from '../shared/shown-once.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { SettingsSection } from './settings-section.tsx'

const { apiKeys: labels } = texts
const keyText = (lastFour: string) => `trib_…${lastFour}`

export function ApiKeySettings() {
  const keys = useCall('listApiKeys')
  const [isCreating, setCreating] = useState(false)
  const createButton = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      {labels.create}
    </Button>
  )
  return (
    <SettingsSection
      title={texts.sections.apiKeys}
      note={
        <>
          {labels.note}{' '}
          <Anchor href="/docs" inherit underline="always">
            {labels.docs}
          </Anchor>
        </>
      }
      action={
        <Group gap="xs">
          <ExportLink route="exportApiKeys" />
          {createButton}
        </Group>
      }
    >
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
      {keys.isPending && <Skeleton height={160} role="status" aria-label={shared.states.loading} />}
      {keys.isError && <ErrorNotice error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && <KeyTable keys={keys.data.data} createButton={createButton} />}
    </SettingsSection>
  )
}

function KeyTable({ keys, createButton }: { keys: ApiKeySummary[]; createButton: ReactNode }) {
  if (keys.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title={labels.empty} action={createButton}>
          {labels.emptyNote}
        </EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={texts.sections.apiKeys}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{labels.columns.name}</Table.Th>
              <Table.Th>{labels.columns.key}</Table.Th>
              <Table.Th>{labels.columns.created}</Table.Th>
              <Table.Th>{labels.columns.lastUsed}</Table.Th>
              <Table.Th>{labels.columns.actions}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map(key => (
              <Table.Tr key={key.id}>
                <Table.Td miw={80}>
                  <Breakable>{key.name}</Breakable>
                </Table.Td>
                <Table.Td>
                  <code style={{ whiteSpace: 'nowrap' }}>{keyText(key.last_four)}</code>
                </Table.Td>
                <Table.Td>
                  <When time={key.created_at} />
                  {key.created_by && (
                    <Text size="xs" c="dimmed">
                      <Breakable>{key.created_by}</Breakable>
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <When time={key.last_used_at} />
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
    <>
      <Status value="revoked" />
      <Text size="xs" c="dimmed">
        <When time={time} />
      </Text>
    </>
  )
}

function RevokeKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const [isConfirming, setConfirming] = useState(false)
  const revoke = useChange('revokeApiKey', { done: labels.revoked })
  return (
    <>
      <Button
        size="xs"
        variant="light"
        color="red"
        loading={revoke.isPending}
        onClick={() => setConfirming(true)}
      >
        {labels.revoke}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={labels.revokeTitle(apiKey.name)}
          confirm={labels.revokeConfirm}
          colour="red"
          onClose={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false)
            revoke.mutate({ id: apiKey.id })
          }}
        >
          <Text size="sm">
            <CodeText>{labels.revokeNote(keyText(apiKey.last_four))}</CodeText>
          </Text>
          {apiKey.last_used_at && (
            <Text size="sm">
              {labels.lastUsed} <When time={apiKey.last_used_at} withTime />
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
      title={key ? labels.newTitle : labels.create}
      size="lg"
      // A stray click must not lose the key.
      closeOnClickOutside={key === null}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      {key ? (
        <ShownOnce value={key} name={labels.keyName} onClose={onClose}>
          <SourceText
            text={labels.exampleCommand(window.location.origin, key)}
            label={labels.example}
            tools={<Text size="sm">{labels.tryIt}</Text>}
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
              label={labels.name}
              description={labels.nameHint}
              placeholder={labels.nameExample}
              value={name}
              onChange={event => setName(event.currentTarget.value)}
              maxLength={255}
              required
              data-autofocus
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {shared.actions.cancel}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                {labels.create}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
