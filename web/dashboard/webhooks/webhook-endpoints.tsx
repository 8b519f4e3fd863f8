import { ActionIcon, Badge, Button, Group, Menu, Paper, Skeleton, Table, Text } from '@mantine/core'
import type { WebhookEndpointSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { ReplayEvents } from './replay-events.tsx'
import { TestEvent } from './test-event.tsx'

const MOST_ENDPOINTS = 200

export const useEndpoints = () => useCall('listWebhookEndpoints', { query: { limit: MOST_ENDPOINTS } })

export function WebhookEndpoints() {
  const endpoints = useEndpoints()
  const mayChange = useMay('settings')
  if (endpoints.isPending) return <Skeleton height={160} aria-label="Loading" />
  if (endpoints.isError) return <ErrorNotice error={endpoints.error} retry={() => void endpoints.refetch()} />
  if (endpoints.data.data.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title="No endpoint yet">
          {mayChange
            ? 'Add the address of a program of yours, and it is told of every approved affiliate, conversion, commission and payout.'
            : 'Somebody who may change settings can add one.'}
        </EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={mayChange ? 920 : 700}>
        <Table aria-label="Webhook endpoints">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th>Events</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Last delivery</Table.Th>
              {mayChange && <Table.Th>Actions</Table.Th>}
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
      <Table.Td miw={260} maw={360}>
        <Copy value={url} label="Copy the address">
          <Text span size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
        </Copy>
        <Text size="xs" c="dimmed">
          Endpoint {id}, added <When time={created_at} />
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {events.map(kind => (
            <Badge key={kind} variant="default" tt="none" fw={500}>
              {kind}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Status value={status} />
        {failing_since && (
          <Text size="xs" c="red" mt={4}>
            Failing since <When time={failing_since} withTime />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {last_delivery ? (
          <>
            <Status value={last_delivery.status} />
            <Text size="xs" mt={4}>
              <PageLink to={`webhooks/deliveries/${last_delivery.id}`}>
                <When time={last_delivery.created_at} withTime />
              </PageLink>
            </Text>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            none yet
          </Text>
        )}
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
    done: result =>
      result.status === 'active' ? 'Enabled. What it missed can be replayed.' : 'The endpoint is disabled.',
  })
  const remove = useChange('deleteWebhookEndpoint', { done: 'The endpoint is deleted.' })
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
          Enable
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More for endpoint ${id}`}>
            ⋯
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'active' && <Menu.Item onClick={() => setDialog('replay')}>Replay events…</Menu.Item>}
          {status === 'active' && <Menu.Item onClick={() => setDialog('disable')}>Disable…</Menu.Item>}
          <Menu.Item color="red" onClick={() => setDialog('delete')}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'replay' && <ReplayEvents endpoint={endpoint} onClose={close} />}
      {dialog === 'disable' && (
        <ConfirmDialog
          title="Disable the endpoint?"
          confirm="Disable"
          onClose={close}
          onConfirm={() => {
            close()
            change.mutate({ id, body: { status: 'disabled' } })
          }}
        >
          <Text size="sm">
            <code>{url}</code> gets nothing more, and what is still to be delivered to it is canceled. Once it
            is enabled again, what it missed can be replayed.
          </Text>
        </ConfirmDialog>
      )}
      {dialog === 'delete' && (
        <ConfirmDialog
          title="Delete the endpoint?"
          confirm="Delete"
          colour="red"
          onClose={close}
          onConfirm={() => {
            close()
            remove.mutate({ id })
          }}
        >
          <Text size="sm">
            <code>{url}</code> gets nothing more, what is still to be delivered to it is canceled, and its
            secret is gone for good. The log of its deliveries stays for 90 days.
          </Text>
        </ConfirmDialog>
      )}
    </Group>
  )
}
