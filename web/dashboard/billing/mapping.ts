import type { ConnectorMapping } from '@tributary/contract/dashboard'
import {
  type ConnectorEventKind,
  type MappedField,
  mappedFields,
} from '@tributary/contract/dashboard/connector-providers'

/** A mapping as it is typed: every field has an input, and a row may still be empty. */
export interface MappingDraft {
  paths: Record<MappedField, string>
  events: { key: number; type: string; kind: ConnectorEventKind }[]
  amounts: ConnectorMapping['amounts']
  signatureHeader: string
}

export function draftOf(mapping: ConnectorMapping): MappingDraft {
  const paths = Object.fromEntries(mappedFields.map(field => [field, ''])) as MappingDraft['paths']
  for (const { field, path } of mapping.fields) paths[field] = path
  return {
    paths,
    events: mapping.events.map((event, key) => ({ key, ...event })),
    amounts: mapping.amounts,
    signatureHeader: mapping.signature_header,
  }
}

/** What is sent: without the inputs and rows that are empty. */
export function mappingFrom({ paths, events, amounts, signatureHeader }: MappingDraft): ConnectorMapping {
  return {
    fields: mappedFields.flatMap(field => {
      const path = paths[field].trim()
      return path === '' ? [] : [{ field, path }]
    }),
    events: events.flatMap(({ type, kind }) => (type.trim() === '' ? [] : [{ type: type.trim(), kind }])),
    amounts,
    signature_header: signatureHeader.trim() || 'tributary-signature',
  }
}

/** Adds an empty row, with a key that none of the others has. */
export const withEvent = (draft: MappingDraft): MappingDraft => ({
  ...draft,
  events: [
    ...draft.events,
    { key: Math.max(-1, ...draft.events.map(({ key }) => key)) + 1, type: '', kind: 'sale' },
  ],
})
