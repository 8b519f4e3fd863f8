import { type Static, type TSchema, Type } from 'typebox'
import { closed, Id, oneOf } from '../fields.ts'

/** What a call takes and gives. Requests are validated by their schemas; a result is described by its type. */
export interface DashboardSchema {
  readonly query: TSchema
  readonly body: TSchema | undefined
  readonly result: TSchema
}

const noQuery = closed({})

/** A result whose type alone matters: it is made by our own statements and shown by our own pages. */
export const resultOf = <T>() => Type.Unsafe<T>({})

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

/** A file that is streamed: a list of any length. */
export const file = <Q extends TSchema = typeof noQuery>(query?: Q) => ({
  query: (query ?? noQuery) as Q,
  body: undefined,
  result: resultOf<CsvFile>(),
})

export interface CsvFile {
  name: string
  pages: AsyncIterable<string>
}

/** Nothing to say but that it was done. */
export const Done = resultOf<Record<string, never>>()

/** A page of a list: `next` is the cursor of the following page, null on the last one. */
export interface Page<T> {
  data: T[]
  next: number | null
}

/** Newest first, or oldest first; a page begins after the row whose id is the cursor. */
export const pageQuery = {
  after: Type.Optional(Id),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  order: Type.Optional(oneOf(['newest', 'oldest'])),
}

/** Rows that one action is applied to. */
export const ids = Type.Array(Id, { minItems: 1, maxItems: 500 })

/** What became of a bulk action: each refused row with the reason, the others done. */
export interface BulkResult {
  done: number
  refused: { id: number; message: string }[]
}

export type { Static }
