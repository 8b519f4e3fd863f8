import { Alert, Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ConnectorSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay, usePath } from '../shared/account.tsx'
import { ApiError } from '../shared/api.ts'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { ConnectorStatus } from './billing.tsx'
import { ConnectorCodes } from './connector-codes.tsx'
import { ConnectorCredits } from './connector-credits.tsx'
import { ConnectorEvents } from './connector-events.tsx'
import { ConnectorSetup } from './connector-setup.tsx'
import { texts } from './en.ts'
import { MappingSection } from './mapping-section.tsx'

/** A billing system: how to set it up, and the outcome of each event. */
export function ConnectorPage() {
  const id = Number(useParams({ strict: false }).id)
  const connector = useCall('getConnector', { id })
  const mayChange = useMay('settings')
  if (connector.isPending) return <Skeleton height={320} role="status" aria-label={shared.states.loading} />
  if (connector.isError) {
    if (connector.error instanceof ApiError && connector.error.status === 404)
      return (
        <Paper withBorder>
          <EmptyState title={texts.notFound}>{texts.notFoundNote}</EmptyState>
        </Paper>
      )
    return <ErrorNotice error={connector.error} retry={() => void connector.refetch()} />
  }
  return (
    <>
      <PageHead title={texts.connectorName(connector.data)}>
        <Group gap="sm">
          <ConnectorStatus connector={connector.data} />
          {mayChange && <Disconnect connector={connector.data} />}
        </Group>
      </PageHead>
      {connector.data.sync_problem !== null && (
        <Alert color="yellow" variant="light" title={texts.setup.syncProblem} mb="xl">
          {texts.setup.syncProblemNote(connector.data.sync_problem)}
        </Alert>
      )}
      {/* What to do first stands first. */}
      <Stack gap="xl" style={{ flexDirection: connector.data.needs_secret ? 'column' : 'column-reverse' }}>
        {mayChange && (
          <Stack gap="xl">
            <ConnectorSetup connector={connector.data} />
            {connector.data.provider === 'stripe' && (
              <>
                <ConnectorCodes connector={connector.data} />
                <ConnectorCredits connector={connector.data} />
              </>
            )}
            {connector.data.mapping && <MappingSection id={id} mapping={connector.data.mapping} />}
          </Stack>
        )}
        <div>
          <ConnectorEvents id={id} mayReplay={mayChange} />
        </div>
      </Stack>
    </>
  )
}

function Disconnect({ connector }: { connector: ConnectorSummary }) {
  const [isConfirming, setConfirming] = useState(false)
  const navigate = useNavigate()
  const path = usePath()
  const remove = useChange('removeConnector', {
    done: texts.remove.done,
    onDone: () => void navigate({ to: path('billing') }),
  })
  return (
    <>
      <Button variant="light" color="red" onClick={() => setConfirming(true)}>
        {texts.remove.action}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.remove.title(texts.connectorName(connector))}
          confirm={texts.remove.action}
          colour="red"
          onConfirm={() => remove.mutate({ id: connector.id, body: {} })}
          onClose={() => setConfirming(false)}
        >
          <Text size="sm">{texts.remove.note}</Text>
        </ConfirmDialog>
      )}
    </>
  )
}
