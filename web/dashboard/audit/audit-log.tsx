import { Badge, Text } from '@mantine/core'
import type { AuditEntry } from '@tributary/contract/dashboard'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ChoiceFilter, FilterBar, FixedFilter, Wide } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { actionWords, placeOf, shortDetails, wordsOf } from './audit-words.ts'

const actorKinds: Record<AuditEntry['actor_kind'], string> = {
  user: 'Person',
  api_key: 'API key',
  command: 'Command',
  affiliate: 'Affiliate',
}

const filterNames = ['actor_kind', 'action', 'subject_id'] as const

const columns: Column<AuditEntry>[] = [
  { title: 'When', cell: ({ created_at }) => <When time={created_at} withTime />, sorts: true },
  {
    title: 'Who',
    cell: ({ actor_name, actor_kind }) => (
      <div style={{ minWidth: 180 }}>
        <span style={{ overflowWrap: 'anywhere' }}>{actor_name}</span>{' '}
        <Badge variant="default" size="sm" tt="none" fw={500}>
          {actorKinds[actor_kind]}
        </Badge>
      </div>
    ),
  },
  {
    title: 'What',
    cell: entry => (
      <>
        {wordsOf(entry)}
        <Text size="xs" c="dimmed">
          {entry.action}
        </Text>
      </>
    ),
  },
  { title: 'Subject', cell: entry => <Subject entry={entry} /> },
  { title: 'Details', cell: ({ details }) => <Details details={details} /> },
  {
    title: 'From',
    cell: ({ address, actor_kind }) => address ?? (actor_kind === 'command' ? 'the machine' : '–'),
  },
]

function Subject({ entry }: { entry: AuditEntry }) {
  if (entry.subject_id === null) return '–'
  const place = placeOf(entry)
  return place ? <PageLink to={place}>{entry.subject_id}</PageLink> : entry.subject_id
}

/** The first of it in a line; everything when it is unfolded. */
function Details({ details }: { details: AuditEntry['details'] }) {
  if (Object.keys(details).length === 0)
    return (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    )
  return (
    <details style={{ maxWidth: 320 }}>
      <summary style={{ cursor: 'pointer', overflowWrap: 'anywhere' }}>{shortDetails(details)}</summary>
      <Text component="pre" fz="xs" m={0} mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {JSON.stringify(details, null, 2)}
      </Text>
    </details>
  )
}

export function AuditLog() {
  const { values, bind, used, clear } = useFilters('/$account/audit-log')
  const query = {
    actor_kind: values.actor_kind,
    action: values.action,
    subject_id: values.subject_id,
  }
  const isFiltered = Object.values(query).some(value => value !== undefined)
  return (
    <>
      <PageHead
        title="Audit log"
        note="Who changed what, in the dashboard, by key or by command. It only grows: nobody can change or delete a line."
      >
        <ExportLink route="exportAuditLog" query={query} />
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <ChoiceFilter label="Who" {...bind('actor_kind')} options={optionsOf(actorKinds)} />
        <Wide>
          <ChoiceFilter label="What" {...bind('action')} options={optionsOf<string>(actionWords)} />
        </Wide>
      </FilterBar>
      <FixedFilter label="Subject" {...bind('subject_id')} />
      <DataTable
        route="listAuditLog"
        label="Audit log"
        query={query}
        columns={columns}
        empty={
          isFiltered ? (
            <EmptyState title="No line matches">Change or clear the filters to see others.</EmptyState>
          ) : (
            <EmptyState title="Nothing has been changed yet">
              Whatever somebody changes from now on is written down here.
            </EmptyState>
          )
        }
      />
    </>
  )
}
