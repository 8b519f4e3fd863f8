import type { OpenApiDocument } from '@tributary/contract'
import { anchor, type Column, type Content, html, joined, prose } from './html.ts'

/** The part of JSON Schema that the API uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
}

export type Schemas = { readonly [name: string]: Schema }

export const schemasOf = (document: OpenApiDocument) => document.components.schemas as Schemas

export const referredName = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1)

/** Longer patterns are omitted; the description explains them. */
const LONGEST_READABLE_PATTERN = 30

const objectLink = (name: string) => html`<a href="#${anchor('object', name)}">${name}</a>`

export function typeOf(schema: Schema): Content {
  const name = referredName(schema)
  if (name) return objectLink(name)
  if (schema.items) return ['array of ', typeOf(schema.items)]
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), ' or ')
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** A range as text. The bounds of safe integers are omitted: the introduction states them once. */
function range(smallest: number | undefined, largest: number | undefined, noun = ''): string | undefined {
  const least = smallest === -Number.MAX_SAFE_INTEGER ? undefined : smallest
  const most = largest === Number.MAX_SAFE_INTEGER ? undefined : largest
  if (least === undefined && most === undefined) return undefined
  if (most === undefined) return `${least} or more${noun}`
  return least === undefined ? `at most ${most}${noun}` : `${least} to ${most}${noun}`
}

const code = (value: unknown) =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

function limitsOf(schema: Schema): Content {
  const { pattern, items } = schema
  const ofItems = items && !items.$ref && limitsOf(items)
  const limits: Content[] = [
    schema.const !== undefined && code(schema.const),
    schema.enum && html`<span class="values">${joined(schema.enum.map(code), ' ')}</span>`,
    schema.format && code(schema.format),
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    pattern && pattern.length <= LONGEST_READABLE_PATTERN && code(pattern),
    ofItems && (items.enum ? ofItems : ['each ', ofItems]),
    schema.default !== undefined && ['default ', code(schema.default)],
  ]
  const present = limits.filter(limit => limit !== undefined && limit !== false && limit !== '')
  return present.length > 0 && html`${joined(present, '; ')}`
}

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string | undefined
}

/** The fields of an object, including nested ones by their path. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = `${prefix}${key}`
    const required = schema.required?.includes(key) ?? false
    const nested = property.items ? fieldsOf(property.items, `${name}[].`) : fieldsOf(property, `${name}.`)
    return [{ name, schema: property, required }, ...nested]
  })
}

export const nameColumn: Column<Field> = { title: 'Name', cell: ({ name }) => html`<code>${name}</code>` }
export const requiredColumn: Column<Field> = {
  title: 'Required',
  cell: ({ required }) => (required ? html`<strong>required</strong>` : 'optional'),
}

/** Type, limits and meaning of a field: the same columns for parameters, bodies and objects. */
export const valueColumns: readonly Column<Field>[] = [
  { title: 'Type', cell: ({ schema }) => typeOf(schema) },
  { title: 'Limits', cell: ({ schema }) => limitsOf(schema) },
  { title: 'Meaning', cell: ({ schema, description }) => prose(description ?? schema.description) },
]
