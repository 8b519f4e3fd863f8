import { type Static, type TSchema, Type } from 'typebox'
import { Count, closed, Id, nullable, oneOf } from '../fields.ts'

/** The schemas of a call: requests are validated and results are serialized by them. */
export interface DashboardSchema {
  readonly query: TSchema
  readonly body: TSchema | undefined
  readonly result: TSchema
}

const noQuery = closed({})

export const read = <R extends TSchema, Q extends TSchema = typeof noQuery>(result: R, query?: Q) => ({
  query: (query ?? noQuery) as Q,
  body: undefined,
  result,
})

export const change = <B extends TSchema, R extends TSchema>(body: B, result: R) => ({
  query: noQuery,
  body,
  result,
})

/** Marks a result that is sent as a file: bytes and not JSON, so it has no schema. */
const FILE = 'x-tributary-file'
const fileOf = <T>() => Type.Unsafe<T>({ [FILE]: true })
export const isFile = (schema: TSchema): boolean => FILE in schema

/** A CSV of any length, streamed page by page. */
export interface CsvFile {
  name: string
  pages: AsyncIterable<string>
}
export const CsvFile = fileOf<CsvFile>()

/** An image or PDF. */
export interface BinaryFile {
  name: string
  type: string
  bytes: AsyncIterable<Uint8Array> | Uint8Array | string
  /** Saved and never shown by the browser, for files that users uploaded. */
  isAttachment?: boolean
}
export const BinaryFile = fileOf<BinaryFile>()

export const file = <Q extends TSchema = typeof noQuery>(query?: Q) => ({
  query: (query ?? noQuery) as Q,
  body: undefined,
  result: CsvFile,
})

/** The empty object: the call succeeded and has no data to return. */
export const Done = Type.Unsafe<Record<string, never>>(closed({}))

/** A page of a list: `next` is the cursor of the following page, null on the last one. */
export interface Page<T> {
  data: T[]
  next: number | null
}
export const pageOf = <T extends TSchema>(item: T) => closed({ data: Type.Array(item), next: nullable(Id) })

/** A list short enough to be returned as a whole. */
export const allOf = <T extends TSchema>(item: T) => closed({ data: Type.Array(item) })

/** Newest or oldest first; a page begins after the row whose ID is the cursor. */
export const pageQuery = {
  after: Type.Optional(Id),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  order: Type.Optional(oneOf(['newest', 'oldest'])),
}

/** What is typed to search a list. */
export const searchText = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))

/** Rows that one action is applied to. */
export const ids = Type.Array(Id, { minItems: 1, maxItems: 500 })

/** The result of a bulk action: the refused rows with their reasons; all others succeeded. */
export const BulkResult = closed({
  done: Count,
  refused: Type.Array(closed({ id: Id, message: Type.String() })),
})
export type BulkResult = Static<typeof BulkResult>

export type { Static }
