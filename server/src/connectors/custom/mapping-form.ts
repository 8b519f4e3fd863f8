import type { ConnectorMapping } from '@tributary/contract/dashboard'
import { mappedFields } from '@tributary/contract/dashboard/connector-providers'
import type { ReadSettings } from '../provider.ts'
import { mappingOf } from './mapping.ts'

/** A stored mapping as lists, which a form shows and a closed schema describes. */
export function presentMapping(stored: ReadSettings['mapping']): ConnectorMapping {
  const { fields, events, amounts, signatureHeader } = mappingOf(stored)
  return {
    // In the order of the form: PostgreSQL keeps none.
    fields: mappedFields.flatMap(field => {
      const path = fields[field]
      return path === undefined ? [] : [{ field, path }]
    }),
    events: Object.entries(events).map(([type, kind]) => ({ type, kind })),
    amounts,
    signature_header: signatureHeader,
  }
}

/** A mapping as it is stored. */
export function storedMapping(mapping: ConnectorMapping): ReadSettings['mapping'] {
  return {
    ...Object.fromEntries(mapping.fields.map(({ field, path }) => [field, path])),
    events: Object.fromEntries(mapping.events.map(({ type, kind }) => [type, kind])),
    amounts: mapping.amounts,
    signature_header: mapping.signature_header.toLowerCase(),
  }
}

/** What occurs twice in the lists: of two rows, the first would silently be lost. */
export function repeatedIn({ fields, events }: ConnectorMapping): string | undefined {
  const names = [...fields.map(({ field }) => field), ...events.map(({ type }) => `event ${type}`)]
  return names.find((name, at) => names.indexOf(name) < at)
}
