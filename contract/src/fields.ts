import { type Static, type TProperties, type TSchema, Type } from 'typebox'

/** Identifiers and money stay within what every JSON parser reads exactly. */
const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER

/** An object that holds its listed fields and no others: every object of the interface is one. */
export const closed = <P extends TProperties>(properties: P, options: { description?: string } = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** The same schema, or null. A type array keeps the serializer fast and the OpenAPI document short. */
export const nullable = <T extends TSchema & { type?: unknown; enum?: unknown[] }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [schema.type, 'null'],
    // Null has to be one of the values too: an enum bounds whatever the type allows.
    ...(schema.enum && { enum: [...schema.enum, null] }),
  })

/** The same schema with words of its own. */
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
  description: 'Money in minor units of its currency',
})

/** A sum over many rows: the database adds without bounds, so it may exceed what one amount may be. */
export const SumMinor = Type.Integer({ description: 'A sum of money in minor units of its currency' })

export const Count = Type.Integer({ minimum: 0 })

export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO-4217 code' })

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, milliseconds',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** A name or label that others see. What its format refuses is told in one-line.ts. */
export const OneLine = (maxLength: number, options: { description?: string } = {}) =>
  Type.String({ minLength: 1, maxLength, format: 'one-line', ...options })

const EMAIL_CHARACTER =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f@,;<>"]'

/** A note that others see, of one line or several. */
export const PlainText = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'plain-text' })

/** Deliberately loose: only a mail that arrives proves an address. White space and list separators never belong. */
export const emailPattern = `^${EMAIL_CHARACTER}+@${EMAIL_CHARACTER}+\\.${EMAIL_CHARACTER}+$`

export const Email = Type.String({ maxLength: 254, pattern: emailPattern, description: 'An email address' })

/** `starting_after`, `limit` and the creation range that every list takes, plus the list's own filters. */
export const listQuery = <P extends TProperties>(filters: P) =>
  closed({
    starting_after: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LARGEST_INTEGER,
        description: 'The id of the last item already seen; the page begins after it',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Page size, 25 by default' }),
    ),
    created_after: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only what was created after this time, exclusive' }),
    ),
    created_before: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only what was created before this time, exclusive' }),
    ),
    ...filters,
  })

export const listOf = <T extends TSchema>(item: T) =>
  closed({
    data: Type.Array(item, { description: 'Newest first' }),
    has_more: Type.Boolean({ description: 'Whether older items follow' }),
  })

/** A map whose keys are not known here. The one way to let fields out that no schema names; a test lists every use. */
export const openMap = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })
