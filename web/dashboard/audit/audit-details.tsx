import { Text } from '@mantine/core'
import type { AuditEntry } from '@tributary/contract/dashboard'
import { Fragment } from 'react'
import { texts as shared } from '../shared/en.ts'
import { PageLink } from '../shared/named-links.tsx'
import { type Change, changesOf } from './changes.ts'
import { texts } from './en.ts'
import { type Mention, MOST_SUBJECTS, subjectsOf } from './mentions.ts'

const SHOWN_CHANGES = 3

const Mentions = ({ mentions }: { mentions: Mention[] }) =>
  mentions.map(({ text, page }, index) => (
    <Fragment key={`${page}${text}`}>
      {index > 0 && ', '}
      {page ? <PageLink to={page}>{text}</PageLink> : text}
    </Fragment>
  ))

/** What an entry is about, by name. */
export function Subject({ entry }: { entry: AuditEntry }) {
  const subjects = subjectsOf(entry)
  if (subjects.length === 0) return shared.states.none
  const { ids } = entry.details
  const more = Array.isArray(ids) ? ids.length - MOST_SUBJECTS : 0
  return (
    <div style={{ minWidth: 100, overflowWrap: 'anywhere' }}>
      <Mentions mentions={subjects} />
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {texts.more(more)}
        </Text>
      )}
    </div>
  )
}

function ChangeLine({ change: { field, before, after, mentions, more = 0 } }: { change: Change }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span inherit c="dimmed">
        {texts.field(field)}
      </Text>{' '}
      {before !== undefined && (
        <>
          <del style={{ textDecoration: 'none' }}>{before}</del>
          {texts.arrow}
        </>
      )}
      {mentions ? (
        <>
          <Mentions mentions={mentions} />
          {more > 0 && texts.andMore(more)}
        </>
      ) : before === undefined ? (
        after
      ) : (
        <ins style={{ textDecoration: 'none' }}>{after}</ins>
      )}
    </Text>
  )
}

/** The changed fields; the rest of a long list expands. */
export function Details({ entry }: { entry: AuditEntry }) {
  const changes = changesOf(entry)
  if (changes.length === 0) return shared.states.none
  const [shown, rest] = [changes.slice(0, SHOWN_CHANGES), changes.slice(SHOWN_CHANGES)]
  return (
    <div style={{ minWidth: 140, maxWidth: 380 }}>
      {shown.map(change => (
        <ChangeLine key={change.field} change={change} />
      ))}
      {rest.length > 0 && (
        <details>
          <summary style={{ cursor: 'pointer' }}>{texts.more(rest.length)}</summary>
          {rest.map(change => (
            <ChangeLine key={change.field} change={change} />
          ))}
        </details>
      )}
    </div>
  )
}
