import { Badge, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { DeliveryStatus, DeliverySummary } from '@tributary/contract/dashboard'
import { Status } from '../../ui/values.tsx'
import { usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ChoiceFilter, FilterBar, FixedFilter, Wide } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { attemptWords } from './event-words.ts'
import { useEndpoints } from './webhook-endpoints.tsx'

const statuses: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  canceled: 'Canceled',
}

const columns: Column<DeliverySummary>[] = [
  {
    title: 'Delivery',
    cell: ({ id, is_test }) => (
      <>
        <PageLink to={`webhooks/deliveries/${id}`}>{id}</PageLink>{' '}
        {is_test && (
          <Badge variant="outline" color="gray" size="sm" tt="none">
            Test
          </Badge>
        )}
      </>
    ),
  },
  {
    title: 'Event',
    cell: ({ event_kind, event_id }) => (
      <>
        {event_kind}
        <Text size="xs" c="dimmed">
          Event {event_id}
        </Text>
      </>
    ),
  },
  {
    title: 'Endpoint',
    cell: ({ url }) => (
      <Text size="sm" maw={260} truncate title={url}>
        {url}
      </Text>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status value={status} /> },
  {
    title: 'Last answer',
    cell: ({ last_attempt, attempts, next_attempt_at, status }) => (
      // In one piece: the table scrolls sideways rather than growing tall.
      <span style={{ whiteSpace: 'nowrap' }}>
        {last_attempt ? attemptWords(last_attempt) : status === 'pending' ? 'on its way' : '–'}
        {(attempts > 1 || (attempts > 0 && next_attempt_at)) && (
          <Text size="xs" c="dimmed">
            {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
            {next_attempt_at && (
              <>
                , next <When time={next_attempt_at} withTime />
              </>
            )}
          </Text>
        )}
      </span>
    ),
  },
  { title: 'Created', cell: ({ created_at }) => <When time={created_at} withTime />, sorts: true },
]

const filterNames = ['endpoint_id', 'status', 'event_id'] as const

/** What was sent to whom, and what they said. */
export function DeliveryLog() {
  const { values, bind, used, clear } = useFilters('/$account/webhooks')
  const navigate = useNavigate()
  const path = usePath()
  const endpoints = useEndpoints().data?.data ?? []
  const query = {
    endpoint_id: values.endpoint_id,
    event_id: values.event_id,
    status: values.status,
  }
  const isFiltered = Object.values(query).some(value => value !== undefined)
  const isDeleted = !endpoints.some(({ id }) => id === query.endpoint_id)
  return (
    <>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <Wide>
          <ChoiceFilter
            label="Endpoint"
            {...bind('endpoint_id')}
            options={[
              ...endpoints.map(({ id, url }) => ({ value: id, label: `${id}: ${url}` })),
              ...(query.endpoint_id !== undefined && isDeleted
                ? [{ value: query.endpoint_id, label: `${query.endpoint_id}: deleted` }]
                : []),
            ]}
          />
        </Wide>
        <ChoiceFilter label="Delivery status" {...bind('status')} options={optionsOf(statuses)} />
        <ExportLink route="exportDeliveries" query={query} label="Export deliveries" />
      </FilterBar>
      <FixedFilter label="Event" {...bind('event_id')} />
      <DataTable
        route="listDeliveries"
        label="Deliveries"
        query={query}
        columns={columns}
        refetchInterval={10_000}
        onRow={({ id }) => void navigate({ to: path(`webhooks/deliveries/${id}`) })}
        empty={
          isFiltered ? (
            <EmptyState title="No delivery matches">Change or clear the filters to see others.</EmptyState>
          ) : (
            <EmptyState title="Nothing has been sent yet">
              With an endpoint in place, send a test event to see how a delivery looks here.
            </EmptyState>
          )
        }
      />
    </>
  )
}
