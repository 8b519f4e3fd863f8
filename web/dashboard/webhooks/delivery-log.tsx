import { Badge, Group, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { DeliverySummary } from '@tributary/contract/dashboard'
import { Status } from '../../ui/values.tsx'
import { usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ChoiceFilter, FilterBar, FixedFilter, SearchFilter, Wide } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState } from '../shared/states.tsx'
import { relativeTime } from '../shared/time.ts'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { attemptText } from './event-text.ts'
import { useEndpoints } from './webhook-endpoints.tsx'

const { log } = texts

const columns: Column<DeliverySummary>[] = [
  {
    title: log.columns.delivery,
    cell: ({ id, is_test }) => (
      <>
        <PageLink to={`webhooks/deliveries/${id}`}>{id}</PageLink>{' '}
        {is_test && (
          <Badge variant="outline" color="gray" size="sm" tt="none">
            {shared.states.test}
          </Badge>
        )}
      </>
    ),
  },
  {
    title: log.columns.event,
    cell: ({ event_kind, event_id }) => (
      <>
        {event_kind}
        <Text size="xs" c="dimmed">
          {log.eventId(event_id)}
        </Text>
      </>
    ),
  },
  {
    title: log.columns.endpoint,
    cell: ({ url }) => (
      // Narrow where the navigation leaves little room, so that the date isn't cut.
      <Text size="sm" maw={{ base: 190, md: 105, lg: 190 }} truncate title={url}>
        {url}
      </Text>
    ),
  },
  { title: log.columns.status, cell: ({ status }) => <Status value={status} /> },
  {
    title: log.columns.lastResponse,
    cell: ({ last_attempt, attempts, next_attempt_at, status }) => (
      // Never wrapped: the table scrolls sideways rather than growing tall.
      <span style={{ whiteSpace: 'nowrap' }}>
        {last_attempt ? attemptText(last_attempt) : status === 'pending' ? log.sending : shared.states.none}
        {(attempts > 1 || (attempts > 0 && next_attempt_at)) && (
          <Text size="xs" c="dimmed">
            {next_attempt_at
              ? log.nextAttempt(attempts, relativeTime(next_attempt_at))
              : log.attempts(attempts)}
          </Text>
        )}
      </span>
    ),
  },
  { title: log.columns.created, cell: ({ created_at }) => <When time={created_at} withTime />, sorts: true },
]

const filterNames = ['q', 'endpoint_id', 'status', 'event_id'] as const

/** Every delivery with its latest response. */
export function DeliveryLog() {
  const { values, bind, used, clear } = useFilters('/$account/webhooks')
  const navigate = useNavigate()
  const path = usePath()
  const endpoints = useEndpoints().data?.data ?? []
  const query = {
    q: values.q,
    endpoint_id: values.endpoint_id,
    event_id: values.event_id,
    status: values.status,
  }
  const isFiltered = Object.values(query).some(value => value !== undefined)
  const isDeleted = !endpoints.some(({ id }) => id === query.endpoint_id)
  return (
    <>
      <Group justify="space-between" mt="xl" mb="sm" gap="sm">
        <Title order={2} size="h4">
          {texts.deliveries}
        </Title>
        <ExportLink route="exportDeliveries" query={query} label={texts.exportDeliveries} />
      </Group>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <SearchFilter {...bind('q')} hint={log.searchHint} />
        <Wide>
          <ChoiceFilter
            label={log.columns.endpoint}
            {...bind('endpoint_id')}
            options={[
              ...endpoints.map(({ id, url }) => ({ value: id, label: log.endpointOption(id, url) })),
              ...(query.endpoint_id !== undefined && isDeleted
                ? [{ value: query.endpoint_id, label: log.deletedEndpoint(query.endpoint_id) }]
                : []),
            ]}
          />
        </Wide>
        <ChoiceFilter
          label={log.columns.status}
          {...bind('status')}
          options={optionsOf(texts.deliveryStatuses)}
        />
      </FilterBar>
      <FixedFilter label={log.columns.event} {...bind('event_id')} />
      <DataTable
        route="listDeliveries"
        label={texts.deliveries}
        query={query}
        columns={columns}
        refetchInterval={10_000}
        onRow={({ id }) => void navigate({ to: path(`webhooks/deliveries/${id}`) })}
        empty={
          isFiltered ? (
            <EmptyState title={log.noMatch}>{shared.filters.noMatch}</EmptyState>
          ) : (
            <EmptyState title={log.empty}>{log.emptyNote}</EmptyState>
          )
        }
      />
    </>
  )
}
