import { isFile } from '@tributary/contract/dashboard'
import type { TSchema } from 'typebox'
import { once } from '../../kit/once.ts'
import { schemaCompilers } from '../schema-compilers.ts'

/** Writes a result as JSON. */
export type WriteResponse = (result: unknown) => string

/** Makes it from the closed schema of the result. The tests put in their own, which also checks what it is given. */
export type ResponseWriter = (schema: TSchema) => WriteResponse

/**
 * A serializer writes the fields that the schema names and no others, so a field that is not in the contract cannot leave. Each is
 * compiled for its first answer: compiling all of them takes a twelfth of the start.
 */
export const closedResponse: ResponseWriter = schema => {
  if (isFile(schema))
    return () => {
      throw new Error('The contract says that this call answers with a file.')
    }
  const serialize = once(() => schemaCompilers().buildSerializer(schema as never))
  return result => serialize()(result)
}
