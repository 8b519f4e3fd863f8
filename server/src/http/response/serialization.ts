import type { FastifyServerOptions } from 'fastify'
import type { ResponseWriter } from './closed-response.ts'

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>

/** How Fastify serializes routes with a response schema: those of the public API. */
export const serializers = (writer: ResponseWriter): Compilers => ({
  buildSerializer:
    () =>
    ({ schema }) =>
      writer(schema as never),
  // Requests are checked by ourselves, in the words of our errors. Fastify's own way would be loaded, and never used.
  buildValidator: () => () => {
    throw new Error('No schema of a request is given to Fastify.')
  },
})
