import { Button, Group, Text, Title } from '@mantine/core'
import type { ConnectorEvent } from '@tributary/contract/dashboard'
import { Breakable } from '../../ui/breakable.tsx'
import { Status } from '../../ui/values.tsx'
import { useChange } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ChoiceFilter, FilterBar, SearchFilter } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState } from '../shared/states.tsx'
import { relativeTime } from '../shared/time.ts'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'

const { events: labels } = texts

const filterNames = ['q', 'status'] as const

/** Every event with its status, the reason for it, and what it made. */
export function ConnectorEvents({ id, mayReplay }: { id: number; mayReplay: boolean }) {
  const { values, bind, used, clear } = useFilters('/$account/billing/$id')
  const replay = useChange('replayConnectorEvents', { done: ({ events }) => labels.replayed(events) })
  const query = { q: values.q, status: values.status }
  const columns: Column<ConnectorEvent>[] = [
    {
      title: labels.columns.event,
      cell: ({ type, provider_id }) => (
        <>
          <Breakable>{type}</Breakable>
          <Text size="xs" c="dimmed">
            <Breakable>{provider_id}</Breakable>
          </Text>
        </>
      ),
    },
    {
      title: labels.columns.status,
      cell: ({ status }) => <Status value={statusColours[status]} label={labels.statuses[status]} />,
    },
    { title: labels.columns.outcome, cell: event => <Outcome event={event} /> },
    {
      title: labels.columns.received,
      cell: ({ received_at }) => <When time={received_at} withTime />,
      sorts: true,
    },
    ...(mayReplay
      ? [
          {
            title: labels.columns.actions,
            cell: ({ provider_id, status }: ConnectorEvent) =>
              status === 'received' ? null : (
                <Button
                  size="xs"
                  variant="light"
                  onClick={() => replay.mutate({ id, body: { provider_id } })}
                >
                  {labels.replay}
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h4">
          {labels.title}
        </Title>
        <Group gap="xs">
          {mayReplay && values.status === 'failed' && (
            <Button
              variant="default"
              loading={replay.isPending}
              onClick={() => replay.mutate({ id, body: {} })}
            >
              {labels.replayFailed}
            </Button>
          )}
          <ExportLink route="exportConnectorEvents" id={id} query={query} label={labels.export} />
        </Group>
      </Group>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <SearchFilter {...bind('q')} hint={labels.searchHint} />
        <ChoiceFilter label={labels.status} {...bind('status')} options={optionsOf(labels.statuses)} />
      </FilterBar>
      <DataTable
        route="listConnectorEvents"
        label={labels.title}
        id={id}
        query={query}
        columns={columns}
        refetchInterval={5_000}
        empty={
          used(filterNames) === 0 ? (
            <EmptyState title={labels.empty}>{labels.emptyNote}</EmptyState>
          ) : (
            <EmptyState title={labels.noMatch}>{shared.filters.noMatch}</EmptyState>
          )
        }
      />
    </>
  )
}

/** A state of an event is shown in the colour of the state that means the same elsewhere. */
const statusColours: Record<ConnectorEvent['status'], string> = {
  received: 'processing',
  applied: 'active',
  ignored: 'disabled',
  waiting: 'pending',
  failed: 'failed',
}

function Outcome({ event }: { event: ConnectorEvent }) {
  const { reason, referral_id, commission_ids, sale_external_id, refund_external_id } = event
  return (
    <>
      {reason && (
        <Text size="sm">
          <Breakable>{reason}</Breakable>
        </Text>
      )}
      <Group gap="xs" c="dimmed" fz="sm">
        {referral_id !== null && <PageLink to={`referrals/${referral_id}`}>{labels.referral}</PageLink>}
        {commission_ids.map(id => (
          <PageLink key={id} to={`commissions/${id}`}>
            {labels.commission(id)}
          </PageLink>
        ))}
        {sale_external_id !== null && <Breakable>{labels.sale(sale_external_id)}</Breakable>}
        {refund_external_id !== null && <Breakable>{labels.refund(refund_external_id)}</Breakable>}
      </Group>
      {event.status === 'failed' && event.next_attempt_at !== null && (
        <Text size="xs" c="dimmed">
          {labels.nextAttempt(event.attempts, relativeTime(event.next_attempt_at))}
        </Text>
      )}
    </>
  )
}
