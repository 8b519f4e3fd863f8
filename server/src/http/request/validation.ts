import { isOneLine, isPlainText } from '@tributary/contract/one-line'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { invalid } from '../../kit/domain-error.ts'
import { once } from '../../kit/once.ts'
import { isTimestamp } from '../../kit/timestamp.ts'
import { schemaCompilers } from '../schema-compilers.ts'
import { problem } from './problem.ts'

const ajv = once(() => {
  const { Ajv } = schemaCompilers()
  return new Ajv({
    useDefaults: true,
    strict: false,
    // Messages quote the value that was refused.
    verbose: true,
    formats: { 'date-time': isTimestamp, 'one-line': isOneLine, 'plain-text': isPlainText },
  })
})

/** Tells whether a value is as its schema says and, where it is not, why. */
interface Check {
  (value: unknown): boolean
  errors?: ErrorObject[] | null | undefined
}

/** Compiled when it is first asked: the service has some hundred of them, and they were a quarter of what it does to start. */
function compile(schema: TSchema): Check {
  let compiled: ValidateFunction | undefined
  const check: Check = value => {
    compiled ??= ajv().compile(schema)
    const isRight = compiled(value)
    check.errors = compiled.errors
    return isRight
  }
  return check
}

/** `/events/0` as a person would write it: `events[0]`. */
const fieldName = (instancePath: string) =>
  instancePath
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')

/** One sentence that names the field and says what is wrong with it. */
function explain(error: ErrorObject): Error {
  const { keyword, instancePath, params } = error
  const within = instancePath ? `${fieldName(instancePath)}.` : ''
  if (keyword === 'required') return invalid(`${within}${params.missingProperty}`, 'is required')
  if (keyword === 'additionalProperties')
    return invalid(`${within}${params.additionalProperty}`, 'is not a known field')
  if (keyword === 'minProperties') return invalid('The body', 'must name at least one field to change')
  return invalid(fieldName(instancePath) || 'The body', problem(error))
}

/** Reads a value by its schema: what is not as it says is refused, in one sentence. */
export function reader<S extends TSchema>(schema: S): (value: object) => Static<S> {
  const check = compile(schema)
  return value => {
    if (!check(value)) throw explain(check.errors?.[0] as never)
    refuseUnstorable(value)
    return value as Static<S>
  }
}

/**
 * Refuses texts that PostgreSQL cannot store or JSON cannot carry. It runs after the schema has bounded the shape, so the
 * depth of what it walks is small.
 */
function refuseUnstorable(value: unknown, field = ''): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(field, 'must not hold a NUL character')
    if (!value.isWellFormed()) throw invalid(field, 'must not hold half a surrogate pair')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorable(item, `${field}[${index}]`)
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) refuseUnstorable(item, field ? `${field}.${key}` : key)
}
