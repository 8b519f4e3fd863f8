import buildSerializer from 'fast-json-stringify'
import type { FastifyServerOptions } from 'fastify'
import { once } from '../kit/once.ts'

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/**
 * Answers are written by what their schema compiles to, which lets out no field that it does not name. Each is compiled for its first
 * answer: all of them at once were a tenth of the start.
 */
export const serializers: Compilers = {
  buildSerializer:
    () =>
    ({ schema }) => {
      const serialize = once(() => buildSerializer(schema as never))
      return value => serialize()(value)
    },
  // Requests are checked by ourselves, in the words of our errors. Fastify's own way would be loaded, and never used.
  buildValidator: () => () => {
    throw new Error('No schema of a request is given to Fastify.')
  },
}
