import type { Ajv } from 'ajv'
import type buildSerializer from 'fast-json-stringify'

interface SchemaCompilers {
  /** Compiles request validators. */
  Ajv: typeof Ajv
  /** Compiles response serializers. */
  buildSerializer: typeof buildSerializer
}

let loaded: SchemaCompilers | undefined

let loading: Promise<void> | undefined

async function load(): Promise<void> {
  const [ajv, fastJsonStringify] = await Promise.all([import('ajv'), import('fast-json-stringify')])
  loaded = { Ajv: ajv.Ajv, buildSerializer: fastJsonStringify.default }
}

/** A third of the HTTP code, not needed before the first call: start-up doesn't wait for it. A failed load is tried again. */
export function loadSchemaCompilers(): Promise<void> {
  loading ??= load().catch(error => {
    loading = undefined
    throw error
  })
  return loading
}

export function schemaCompilers(): SchemaCompilers {
  if (!loaded) throw new Error('A route that reads or writes by a schema awaits loadSchemaCompilers() first.')
  return loaded
}
