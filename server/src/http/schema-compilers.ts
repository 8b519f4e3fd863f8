import type { Ajv } from 'ajv'
import type buildSerializer from 'fast-json-stringify'
import { once } from '../kit/once.ts'

interface SchemaCompilers {
  /** Compiles the check of a request. */
  Ajv: typeof Ajv
  /** Compiles the serializer of a response. */
  buildSerializer: typeof buildSerializer
}

let loaded: SchemaCompilers | undefined

/** A third of the code of the HTTP side, which no request needs before the first call does: the start doesn't wait for it. */
export const loadSchemaCompilers = once(async () => {
  const [ajv, fastJsonStringify] = await Promise.all([import('ajv'), import('fast-json-stringify')])
  loaded = { Ajv: ajv.Ajv, buildSerializer: fastJsonStringify.default }
})

export function schemaCompilers(): SchemaCompilers {
  if (!loaded) throw new Error('A route that reads or writes by a schema awaits loadSchemaCompilers() first.')
  return loaded
}
