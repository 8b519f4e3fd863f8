import { isOneLine, isPlainText } from '@tributary/contract/one-line'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { invalid } from '../../kit/domain-error.ts'
import { once } from '../../kit/once.ts'
import { isDay, isMoment, isTimestamp } from '../../kit/timestamp.ts'
import { schemaCompilers } from '../schema-compilers.ts'
import { problem } from './problem.ts'

const ajv = once(() => {
  const { Ajv } = schemaCompilers()
  return new Ajv({
    useDefaults: true,
    strict: false,
    // Messages quote the rejected value.
    verbose: true,
    formats: {
      'date-time': isTimestamp,
      day: isDay,
      moment: isMoment,
      'one-line': isOneLine,
      'plain-text': isPlainText,
    },
  })
})

/** Validates a value, with the errors of the last call. */
interface Check {
  (value: unknown): boolean
  errors?: ErrorObject[] | null | undefined
}

/** Compiled on first use: there are about a hundred, and compiling them took a quarter of the start-up time. */
function compile(schema: TSchema): Check {
  let compiled: ValidateFunction | undefined
  const check: Check = value => {
    compiled ??= ajv().compile(schema)
    const isValid = compiled(value)
    check.errors = compiled.errors
    return isValid
  }
  return check
}

/** Turns the JSON pointer `/events/0` into `events[0]`. */
const fieldName = (instancePath: string) =>
  instancePath
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')

/** One sentence with the field and the problem. */
function explain(error: ErrorObject): Error {
  const { keyword, instancePath, params } = error
  const within = instancePath ? `${fieldName(instancePath)}.` : ''
  if (keyword === 'required') return invalid(`${within}${params.missingProperty}`, 'is required')
  if (keyword === 'additionalProperties')
    return invalid(`${within}${params.additionalProperty}`, 'is not a known field')
  if (keyword === 'minProperties') return invalid('The body', 'must contain at least one field to change')
  return invalid(fieldName(instancePath) || 'The body', problem(error))
}

/** Validates a value by its schema, or throws an error of one sentence. */
export function reader<S extends TSchema>(schema: S): (value: object) => Static<S> {
  const check = compile(schema)
  return value => {
    if (!check(value)) throw explain(check.errors?.[0] as never)
    refuseUnstorable(value)
    return value as Static<S>
  }
}

/**
 * Rejects strings that PostgreSQL cannot store or JSON cannot represent. Runs after schema validation, so recursion is shallow.
 */
function refuseUnstorable(value: unknown, field = ''): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(field, 'must not contain a NUL character')
    if (!value.isWellFormed()) throw invalid(field, 'must not contain an unpaired surrogate')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnstorable(item, `${field}[${index}]`)
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) refuseUnstorable(item, field ? `${field}.${key}` : key)
}
