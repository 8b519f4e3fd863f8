import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/** Identifiers and money stay within the integers that every JSON parser reads exactly. */
const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER

/** An object without additional properties. Every object of the API is one. */
export const closed = <P extends TProperties>(
  properties: P,
  options: { description?: string; minProperties?: number } = {},
) => Type.Object(properties, { additionalProperties: false, ...options })

/** The same schema, or null. A type array keeps the serializer fast and the OpenAPI document short. */
export const nullable = <T extends TSchema & { type?: unknown; enum?: unknown[] }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [schema.type, 'null'],
    // An enum restricts all types, so it must list null as well.
    ...(schema.enum && { enum: [...schema.enum, null] }),
  })

/** The same schema with another description. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({
  ...schema,
  description,
})

export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...(description && { description }) })

export const Id = Type.Integer({ minimum: 1, maximum: LARGEST_INTEGER })

export const Minor = Type.Integer({
  minimum: -LARGEST_INTEGER,
  maximum: LARGEST_INTEGER,
  description: 'Amount in minor units of its currency',
})

/** A sum over many rows, which may exceed the range of a single amount. */
export const SumMinor = Type.Integer({ description: 'Sum in minor units of its currency' })

export const Count = Type.Integer({ minimum: 0 })

export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO-4217 code' })

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, milliseconds',
  examples: ['2026-01-31T12:00:00.000Z'],
})

export const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'An IANA time zone, such as Europe/Berlin',
})

/** A calendar day, in the account's time zone unless noted. */
export const Day = Type.String({ format: 'day', examples: ['2026-01-31'] })

/**
 * A timestamp; or a local one as a form writes it (`2026-01-31T12:00`), or a day, meaning its end. The last two are in the
 * account's time zone.
 */
export const Moment = Type.String({ format: 'moment', examples: ['2026-01-31'] })

/** A name or label shown to other users. Its format is defined in one-line.ts. */
export const OneLine = (maxLength: number, options: { description?: string } = {}) =>
  Type.String({ minLength: 1, maxLength, format: 'one-line', ...options })

const EMAIL_CHARACTER =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f@,;<>"]'

/** A note of one or more lines, shown to other users. */
export const PlainText = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'plain-text' })

/** Deliberately loose: only a delivered email proves an address. White space and list separators are never valid. */
export const emailPattern = `^${EMAIL_CHARACTER}+@${EMAIL_CHARACTER}+\\.${EMAIL_CHARACTER}+$`

export const Email = Type.String({ maxLength: 254, pattern: emailPattern, description: 'Email address' })

/** The pagination and creation range of every list, plus the list's own filters. */
export const listQuery = <P extends TProperties>(filters: P) =>
  closed({
    starting_after: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LARGEST_INTEGER,
        description: 'ID of the last item of the previous page',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Page size' })),
    created_after: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only items created after this time (exclusive)' }),
    ),
    created_before: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only items created before this time (exclusive)' }),
    ),
    ...filters,
  })

export const listOf = <T extends TSchema>(item: T) =>
  closed({
    data: Type.Array(item, { description: 'Newest first' }),
    has_more: Type.Boolean({ description: 'Whether there are more items after this page' }),
  })

/** A map with unknown keys. The only way to return fields that no schema names; a test lists every use. */
export const openMap = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })
