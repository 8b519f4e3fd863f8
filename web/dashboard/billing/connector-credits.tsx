import { Button, Switch, Text } from '@mantine/core'
import type { ConnectorCredit, ConnectorSummary } from '@tributary/contract/dashboard'
import { Breakable } from '../../ui/breakable.tsx'
import { Money } from '../../ui/values.tsx'
import { useChange } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState } from '../shared/states.tsx'
import { texts } from './en.ts'
import { CallOutcome, ProviderCalls } from './provider-calls.tsx'

const { credits: labels } = texts

/** Credit rewards at the provider: whether they are granted, and the outcome of each. */
export function ConnectorCredits({ connector }: { connector: ConnectorSummary }) {
  const { id } = connector
  const retry = useChange('retryConnectorCredits', { done: ({ credits }) => labels.retried(credits) })
  return (
    <ProviderCalls
      connector={connector}
      labels={labels}
      actions={
        <>
          <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate({ id, body: {} })}>
            {labels.retry}
          </Button>
          <ExportLink route="exportConnectorCredits" id={id} query={{}} label={labels.export} />
        </>
      }
    >
      <CreditSwitch connector={connector} />
      <DataTable
        route="listConnectorCredits"
        label={labels.title}
        id={id}
        query={{}}
        columns={columns}
        refetchInterval={5_000}
        empty={<EmptyState title={labels.empty}>{labels.emptyNote}</EmptyState>}
      />
    </ProviderCalls>
  )
}

function CreditSwitch({ connector: { id, grants_credit } }: { connector: ConnectorSummary }) {
  const save = useChange('setConnectorCredits', {
    done: ({ grants_credit }) => (grants_credit ? labels.switchedOn : labels.switchedOff),
  })
  return (
    <Switch
      label={labels.switch}
      description={labels.switchHint}
      checked={grants_credit}
      disabled={save.isPending}
      onChange={event => save.mutate({ id, body: { is_on: event.currentTarget.checked } })}
    />
  )
}

/** A status is shown in the colour of the status that means the same elsewhere. */
const statusColours: Record<ConnectorCredit['status'], string> = {
  pending: 'pending',
  granted: 'active',
  taken_back: 'disabled',
  failed: 'failed',
}

const columns: Column<ConnectorCredit>[] = [
  {
    title: labels.columns.amount,
    cell: ({ amount_minor, currency, balance_minor, balance_currency }) => (
      <>
        <Money minor={balance_minor ?? amount_minor} currency={balance_currency ?? currency} />
        {balance_currency !== null && balance_currency !== currency && (
          <Text size="xs" c="dimmed">
            {labels.convertedFrom} <Money minor={amount_minor} currency={currency} />
          </Text>
        )}
      </>
    ),
  },
  {
    title: labels.columns.customer,
    cell: ({ customer, external_id }) => (
      <>
        {customer !== null && <Breakable>{customer}</Breakable>}
        {external_id !== null && (
          <Text size="xs" c="dimmed">
            <Breakable>{external_id}</Breakable>
          </Text>
        )}
      </>
    ),
  },
  {
    title: labels.columns.commission,
    cell: ({ commission_id }) => (
      <PageLink to={`commissions/${commission_id}`}>{texts.events.commission(commission_id)}</PageLink>
    ),
  },
  {
    title: labels.columns.status,
    cell: ({ status, problem, next_attempt_at }) => (
      <CallOutcome
        status={statusColours[status]}
        label={labels.statuses[status]}
        problem={problem}
        nextAttemptAt={next_attempt_at}
      />
    ),
  },
  { title: labels.columns.created, cell: ({ created_at }) => <When time={created_at} />, sorts: true },
]
