import { ActionIcon, Badge, Button, Group, Menu, Paper, Skeleton, Table, Text } from '@mantine/core'
import type { WebhookEndpointSummary } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { words } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { Copy, When } from '../shared/facts.tsx'
import { FixedFilter } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { ReplayEvents } from './replay-events.tsx'
import { TestEvent } from './test-event.tsx'

const { endpoints: labels } = texts

const MOST_ENDPOINTS = 200

export const useEndpoints = (filter: { is_failing?: true } = {}) =>
  useCall('listWebhookEndpoints', { query: { limit: MOST_ENDPOINTS, ...filter } })

export function WebhookEndpoints({ addButton }: { addButton: ReactNode }) {
  const { values, bind } = useFilters('/$account/webhooks')
  return (
    <>
      <FixedFilter label={labels.failing} {...bind('is_failing')} />
      <EndpointTable isFailing={values.is_failing} addButton={addButton} />
    </>
  )
}

function EndpointTable({ isFailing, addButton }: { isFailing: true | undefined; addButton: ReactNode }) {
  const endpoints = useEndpoints({ is_failing: isFailing })
  const mayChange = useMay('settings')
  if (endpoints.isPending) return <Skeleton height={160} role="status" aria-label={shared.states.loading} />
  if (endpoints.isError) return <ErrorNotice error={endpoints.error} retry={() => void endpoints.refetch()} />
  if (endpoints.data.data.length === 0 && isFailing)
    return (
      <Paper withBorder>
        <EmptyState title={labels.noneFailing}>{labels.noneFailingNote}</EmptyState>
      </Paper>
    )
  if (endpoints.data.data.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title={labels.empty} action={mayChange && addButton}>
          {labels.emptyNote} {!mayChange && labels.notAllowedNote}
        </EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={mayChange ? 720 : 560}>
        <Table aria-label={labels.label}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{labels.columns.endpoint}</Table.Th>
              <Table.Th>{labels.columns.events}</Table.Th>
              <Table.Th>{labels.columns.status}</Table.Th>
              {mayChange && <Table.Th>{labels.columns.actions}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {endpoints.data.data.map(endpoint => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} mayChange={mayChange} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function EndpointRow({ endpoint, mayChange }: { endpoint: WebhookEndpointSummary; mayChange: boolean }) {
  const { id, url, events, status, failing_since, last_delivery, created_at } = endpoint
  return (
    <Table.Tr>
      <Table.Td miw={180} maw={360}>
        <Copy value={url} label={texts.copyUrl}>
          <Text span size="sm" fw={600}>
            <Breakable>{url}</Breakable>
          </Text>
        </Copy>
        <Text size="xs" c="dimmed">
          {labels.added(id)} <When time={created_at} />
        </Text>
      </Table.Td>
      <Table.Td miw={150}>
        <Group gap={4}>
          {events.map(kind => (
            <Badge key={kind} variant="default" tt="none" fw={500} miw="max-content">
              {kind}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Status value={status} />
        {failing_since && (
          <Text size="xs" c="red" mt={4}>
            {labels.failingSince} <When time={failing_since} withTime />
          </Text>
        )}
        <Text size="xs" c="dimmed" mt={4}>
          {last_delivery ? (
            <>
              {labels.lastDelivery(words(last_delivery.status))}{' '}
              <PageLink to={`webhooks/deliveries/${last_delivery.id}`}>
                <When time={last_delivery.created_at} withTime />
              </PageLink>
            </>
          ) : (
            labels.noDeliveries
          )}
        </Text>
      </Table.Td>
      {mayChange && (
        <Table.Td>
          <EndpointActions endpoint={endpoint} />
        </Table.Td>
      )}
    </Table.Tr>
  )
}

function EndpointActions({ endpoint }: { endpoint: WebhookEndpointSummary }) {
  const { id, url, status } = endpoint
  const [dialog, setDialog] = useState<'replay' | 'disable' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const change = useChange('switchWebhookEndpoint', {
    done: result => (result.status === 'active' ? labels.enabled : labels.disabled),
  })
  const remove = useChange('deleteWebhookEndpoint', { done: labels.deleted })
  return (
    <Group gap="xs" wrap="nowrap">
      {status === 'active' ? (
        <TestEvent endpoint={endpoint} />
      ) : (
        <Button
          size="xs"
          variant="light"
          loading={change.isPending}
          onClick={() => change.mutate({ id, body: { status: 'active' } })}
        >
          {labels.enable}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={labels.more(id)}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'active' && <Menu.Item onClick={() => setDialog('replay')}>{labels.replay}</Menu.Item>}
          {status === 'active' && (
            <Menu.Item onClick={() => setDialog('disable')}>{labels.disable}</Menu.Item>
          )}
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog('delete')}>
            {labels.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'replay' && <ReplayEvents endpoint={endpoint} onClose={close} />}
      {dialog === 'disable' && (
        <ConfirmDialog
          title={labels.disableTitle}
          confirm={labels.disableConfirm}
          onClose={close}
          onConfirm={() => {
            close()
            change.mutate({ id, body: { status: 'disabled' } })
          }}
        >
          <Text size="sm">
            <CodeText>{labels.disableNote(url)}</CodeText>
          </Text>
        </ConfirmDialog>
      )}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={labels.deleteTitle}
          confirm={labels.deleteConfirm}
          colour="red"
          onClose={close}
          onConfirm={() => {
            close()
            remove.mutate({ id })
          }}
        >
          <Text size="sm">
            <CodeText>{labels.deleteNote(url)}</CodeText>
          </Text>
        </ConfirmDialog>
      )}
    </Group>
  )
}
