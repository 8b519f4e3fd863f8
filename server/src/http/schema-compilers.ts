import type { Ajv } from 'ajv'
import type buildSerializer from 'fast-json-stringify'
import { once } from '../kit/once.ts'

interface SchemaCompilers {
  /** Compiles request validators. */
  Ajv: typeof Ajv
  /** Compiles response serializers. */
  buildSerializer: typeof buildSerializer
}

let loaded: SchemaCompilers | undefined

/** A third of the HTTP code, not needed before the first call: start-up doesn't wait for it. */
export const loadSchemaCompilers = once(async () => {
  const [ajv, fastJsonStringify] = await Promise.all([import('ajv'), import('fast-json-stringify')])
  loaded = { Ajv: ajv.Ajv, buildSerializer: fastJsonStringify.default }
})

export function schemaCompilers(): SchemaCompilers {
  if (!loaded) throw new Error('A route that reads or writes by a schema awaits loadSchemaCompilers() first.')
  return loaded
}
