/** Protects the form of a mapping: what is shown is what is sent, and empty inputs are left out. */
import type { ConnectorMapping } from '@tributary/contract/dashboard'
import { expect, it } from 'vitest'
import { draftOf, mappingFrom, withEvent } from './mapping.ts'

const mapping: ConnectorMapping = {
  fields: [
    { field: 'type', path: 'event' },
    { field: 'customer', path: 'order.customer.id' },
  ],
  events: [{ type: 'order.paid', kind: 'sale' }],
  amounts: 'minor',
  signature_header: 'x-signature',
}

it('sends what it shows', () => {
  expect(mappingFrom(draftOf(mapping))).toEqual(mapping)
})

it('leaves out empty inputs and rows', () => {
  const draft = withEvent(draftOf(mapping))
  const typed = { ...draft, paths: { ...draft.paths, token: '  ', type: ' event ' }, signatureHeader: ' ' }
  expect(mappingFrom(typed)).toEqual({ ...mapping, signature_header: 'tributary-signature' })
})

it('gives every row a separate key', () => {
  const draft = withEvent(withEvent(draftOf(mapping)))
  const without = { ...draft, events: draft.events.filter(({ key }) => key !== 0) }
  expect(withEvent(without).events.map(({ key }) => key)).toEqual([1, 2, 3])
  expect(withEvent({ ...draft, events: [] }).events).toEqual([{ key: 0, type: '', kind: 'sale' }])
})
