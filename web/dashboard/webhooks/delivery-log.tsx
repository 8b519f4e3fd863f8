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
import { EmptyState } from '../shared/states.tsx'
import { asId, useFilters } from '../shared/url-state.ts'
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
                , next <When time={next_attempt_at} />
              </>
            )}
          </Text>
        )}
      </span>
    ),
  },
  { title: 'Created', cell: ({ created_at }) => <When time={created_at} />, sorts: true },
]

/** What was sent to whom, and what they said. */
export function DeliveryLog() {
  const [filters] = useFilters()
  const navigate = useNavigate()
  const path = usePath()
  const endpoints = useEndpoints().data?.data ?? []
  const query = {
    endpoint_id: asId(filters.endpoint_id),
    event_id: asId(filters.event_id),
    status: filters.status && filters.status in statuses ? (filters.status as DeliveryStatus) : undefined,
  }
  const isFiltered = Object.values(query).some(value => value !== undefined)
  const isDeleted = query.endpoint_id && !endpoints.some(({ id }) => id === query.endpoint_id)
  return (
    <>
      <FilterBar names={['endpoint_id', 'status', 'event_id']}>
        <Wide>
          <ChoiceFilter
            label="Endpoint"
            name="endpoint_id"
            options={[
              ...endpoints.map(({ id, url }) => ({ value: String(id), label: `${id}: ${url}` })),
              ...(isDeleted
                ? [{ value: String(query.endpoint_id), label: `${query.endpoint_id}: deleted` }]
                : []),
            ]}
          />
        </Wide>
        <ChoiceFilter
          label="Delivery status"
          name="status"
          options={Object.entries(statuses).map(([value, label]) => ({ value, label }))}
        />
        <ExportLink route="exportDeliveries" query={query} label="Export deliveries" />
      </FilterBar>
      <FixedFilter label="Event" name="event_id" />
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
