import { Badge, Text } from '@mantine/core'
import type { AuditEntry } from '@tributary/contract/dashboard'
import { Breakable } from '../../ui/breakable.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ChoiceFilter, FilterBar, FixedFilter, Wide } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { Details, Subject } from './audit-details.tsx'
import { actionText, actorPage } from './audit-text.ts'
import { texts } from './en.ts'

const filterNames = ['actor_kind', 'action', 'subject_id'] as const

const columns: Column<AuditEntry>[] = [
  { title: texts.columns.time, cell: ({ created_at }) => <When time={created_at} withTime />, sorts: true },
  {
    title: texts.columns.actor,
    cell: entry => <Actor entry={entry} />,
  },
  {
    title: texts.columns.action,
    cell: entry => (
      <>
        {actionText(entry)}
        <Text size="xs" c="dimmed">
          <Breakable>{entry.action}</Breakable>
        </Text>
      </>
    ),
  },
  { title: texts.columns.subject, cell: entry => <Subject entry={entry} /> },
  { title: texts.columns.details, cell: entry => <Details entry={entry} /> },
]

/** The person or program, linked to where they are managed, and where the request came from. */
function Actor({ entry: { actor_kind, actor_id, actor_name, address } }: { entry: AuditEntry }) {
  const page = actorPage(actor_kind, actor_id)
  return (
    <div style={{ minWidth: 150 }}>
      {page ? <PageLink to={page}>{actor_name}</PageLink> : <Breakable>{actor_name}</Breakable>}{' '}
      <Badge variant="default" size="sm" tt="none" fw={500}>
        {texts.actors[actor_kind]}
      </Badge>
      {address && (
        <Text size="xs" c="dimmed" title={texts.address}>
          {address}
        </Text>
      )}
    </div>
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
      <PageHead title={texts.title} note={texts.note}>
        <ExportLink route="exportAuditLog" query={query} />
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <ChoiceFilter label={texts.columns.actor} {...bind('actor_kind')} options={optionsOf(texts.actors)} />
        <Wide>
          <ChoiceFilter
            label={texts.columns.action}
            {...bind('action')}
            options={optionsOf<string>(texts.actions)}
          />
        </Wide>
      </FilterBar>
      <FixedFilter label={texts.columns.subject} {...bind('subject_id')} />
      <DataTable
        route="listAuditLog"
        label={texts.title}
        query={query}
        columns={columns}
        empty={
          isFiltered ? (
            <EmptyState title={texts.noMatch.title}>{texts.noMatch.text}</EmptyState>
          ) : (
            <EmptyState title={texts.empty.title}>{texts.empty.text}</EmptyState>
          )
        }
      />
    </>
  )
}
