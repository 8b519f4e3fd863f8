import {
  type ConnectorEventKind,
  connectorEventKinds as eventKinds,
  LONGEST_PATH,
  type MappedField,
  MOST_EVENT_TYPES,
  mappedFields,
} from '@tributary/contract/dashboard/connector-providers'
import { pathSteps } from '../field-path.ts'
import type { ReadSettings } from '../provider.ts'

export interface Mapping {
  fields: Partial<Record<MappedField, string>>
  /** The kind of each type of event. */
  events: Record<string, ConnectorEventKind>
  /** Whether amounts are in whole units, such as 12.34, or in minor units, such as 1234. */
  amounts: 'decimal' | 'minor'
  /** The header with the signature, in lower case. */
  signatureHeader: string
}

const DEFAULT_HEADER = 'tributary-signature'
/** What is wrong with a path that is none. */
export const notAPath = 'is not a path such as data.order.items[0].id'
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isOneOf = <T extends string>(list: readonly T[], value: unknown): value is T =>
  list.some(item => item === value)

function problemOfEvents(events: unknown): string | undefined {
  if (!isObject(events) || Object.keys(events).length === 0)
    return 'needs "events": the types of events and what each reports'
  if (Object.keys(events).length > MOST_EVENT_TYPES) return `has more than ${MOST_EVENT_TYPES} events`
  const wrong = Object.entries(events).find(([, kind]) => !isOneOf(eventKinds, kind))
  return wrong && `has an event ${wrong[0]} that is none of ${eventKinds.join(', ')}`
}

/** The fields without which an event of a kind can report nothing. */
const neededBy: Record<ConnectorEventKind, MappedField[]> = {
  customer: ['customer'],
  sale: ['customer', 'sale_id', 'amount', 'currency'],
  refund: ['sale_id', 'refund_id'],
  refund_reversed: ['refund_id'],
}

/** Without a mapping, each field has its own name at the top of the body, and the type is the kind. */
const plain: ReadSettings['mapping'] = {
  ...Object.fromEntries(mappedFields.map(field => [field, field])),
  events: Object.fromEntries(eventKinds.map(kind => [kind, kind])),
}
const isEmpty = (mapping: ReadSettings['mapping']) => Object.keys(mapping).length === 0

/** What is wrong with a mapping, in words; undefined if nothing is. */
export function mappingProblem(mapping: ReadSettings['mapping']): string | undefined {
  if (isEmpty(mapping)) return undefined
  const { events, amounts, signature_header: header, ...fields } = mapping
  for (const [field, path] of Object.entries(fields)) {
    if (!isOneOf(mappedFields, field)) return `has an unknown field ${field}`
    if (typeof path !== 'string' || path.length > LONGEST_PATH || !pathSteps(path))
      return `needs a path such as data.order.items[0].id for "${field}"`
  }
  if (fields.type === undefined) return 'needs "type": where the type of an event is'
  const problem = problemOfEvents(events)
  if (problem !== undefined) return problem
  for (const kind of Object.values(events as Record<string, ConnectorEventKind>)) {
    const missing = neededBy[kind].find(field => fields[field] === undefined)
    if (missing !== undefined) return `needs "${missing}" for events of kind ${kind}`
  }
  if (amounts !== undefined && amounts !== 'decimal' && amounts !== 'minor')
    return 'has "amounts" that are neither decimal nor minor'
  if (header !== undefined && (typeof header !== 'string' || !/^[A-Za-z0-9-]{1,64}$/.test(header)))
    return 'has a "signature_header" that is not the name of a header'
  return undefined
}

/** A stored mapping, which was checked when it was stored. */
export function mappingOf(stored: ReadSettings['mapping']): Mapping {
  const { events, amounts, signature_header: header, ...fields } = isEmpty(stored) ? plain : stored
  return {
    fields: fields as Mapping['fields'],
    events: (events ?? {}) as Mapping['events'],
    amounts: amounts === 'minor' ? 'minor' : 'decimal',
    signatureHeader: typeof header === 'string' ? header.toLowerCase() : DEFAULT_HEADER,
  }
}
