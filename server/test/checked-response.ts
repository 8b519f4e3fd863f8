import { deepStrictEqual } from 'node:assert/strict'
import { isFile } from '@tributary/contract/dashboard'
import { Ajv, type ErrorObject } from 'ajv'
import {
  closedResponse,
  type ResponseWriter,
  type WriteResponse,
} from '../src/http/response/closed-response.ts'
import { once } from '../src/kit/once.ts'
import { isDay, isTimestamp } from '../src/kit/timestamp.ts'

const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': isTimestamp, day: isDay } })

const explain = ({ instancePath, message, params }: ErrorObject) =>
  `result${instancePath} ${message} ${JSON.stringify(params)}`

/** Results that did not match their schema. Each also answers 500, but a test may expect that, or not look. */
export const wrongResults: string[] = []

/**
 * Writes answers as the service does, and fails where the serializer would hide something: a field that the schema does not name is
 * left out, and null becomes 0 or an empty text where the schema does not allow it.
 */
export const checkedResponse: ResponseWriter = schema => {
  const writer = writers.get(schema) ?? makeWriter(schema)
  writers.set(schema, writer)
  return writer
}

/** Compiled once for all apps of a worker, of which there are dozens. */
const writers = new WeakMap<object, WriteResponse>()

const makeWriter: ResponseWriter = schema => {
  const write = closedResponse(schema)
  if (isFile(schema)) return write
  const check = once(() => ajv.compile(schema))
  return result => {
    try {
      if (!check()(result)) throw new Error(check().errors?.map(explain).join('; '))
      const text = write(result)
      deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(result)))
      return text
    } catch (error) {
      wrongResults.push(`${(error as Error).message}: ${JSON.stringify(result)?.slice(0, 2000)}`)
      throw error
    }
  }
}
