import { Anchor, Button, Paper, Skeleton, Table } from '@mantine/core'
import type { ConnectorSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { Status } from '../../ui/values.tsx'
import { useCall, useMay } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { ConnectBilling } from './connect-billing.tsx'
import { texts } from './en.ts'

export function Billing() {
  const connectors = useCall('listConnectors')
  const mayConnect = useMay('settings')
  const [isConnecting, setConnecting] = useState(false)
  const connect = mayConnect ? (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setConnecting(true)}>
      {texts.connect}
    </Button>
  ) : null
  return (
    <>
      <PageHead
        title={texts.title}
        note={
          <>
            {texts.note}{' '}
            <Anchor href="/docs/billing" inherit underline="always">
              {texts.docs}
            </Anchor>
          </>
        }
      >
        {connect}
      </PageHead>
      {isConnecting && <ConnectBilling onClose={() => setConnecting(false)} />}
      {connectors.isPending && <Skeleton height={160} role="status" aria-label={shared.states.loading} />}
      {connectors.isError && <ErrorNotice error={connectors.error} retry={() => void connectors.refetch()} />}
      {connectors.data?.data.length === 0 && (
        <Paper withBorder>
          <EmptyState title={texts.empty} action={connect}>
            {texts.emptyNote}
          </EmptyState>
        </Paper>
      )}
      {connectors.data && connectors.data.data.length > 0 && (
        <ConnectorTable connectors={connectors.data.data} />
      )}
    </>
  )
}

function ConnectorTable({ connectors }: { connectors: ConnectorSummary[] }) {
  const { columns } = texts
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={texts.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{columns.system}</Table.Th>
              <Table.Th>{columns.webhookUrl}</Table.Th>
              <Table.Th>{columns.status}</Table.Th>
              <Table.Th>{columns.lastEvent}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {connectors.map(connector => (
              <Table.Tr key={connector.id}>
                <Table.Td miw={120}>
                  <PageLink to={`billing/${connector.id}`}>{texts.connectorName(connector)}</PageLink>
                </Table.Td>
                <Table.Td>
                  <Breakable>{connector.webhook_url}</Breakable>
                </Table.Td>
                <Table.Td>
                  <ConnectorStatus connector={connector} />
                </Table.Td>
                <Table.Td>
                  <When time={connector.last_event_at} withTime />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

export function ConnectorStatus({ connector }: { connector: ConnectorSummary }) {
  if (connector.needs_secret) return <Status value="pending" label={texts.needsSecret} />
  return connector.sync_problem === null ? (
    <Status value="active" label={texts.connected} />
  ) : (
    <Status value="failed" label={texts.syncFailed} />
  )
}
