import { type ErrorCode, errorStatuses, type OpenApiDocument } from '@tributary/contract'
import type { Field, Schema } from './schema.ts'

export interface ApiResponse {
  readonly status: number
  readonly meaning: string
  /** Absent if the response has no body. */
  readonly schema: Schema | undefined
}

export interface Parameter extends Field {
  readonly in: string
}

/** An operation as shown on the page. */
export interface ApiOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly responses: readonly ApiResponse[]
  readonly errors: readonly ErrorCode[]
}

interface Media {
  readonly content?: { readonly 'application/json': { readonly schema: Schema } }
}

interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: Media
  readonly responses: { readonly [status: string]: Media & { readonly description: string } }
}

const schemaIn = (media: Media | undefined) => media?.content?.['application/json'].schema

export const errorCodes = Object.keys(errorStatuses) as ErrorCode[]

/** OpenAPI has no place for error codes, so the description of each response starts with its codes. */
const codesIn = (status: number, description: string) =>
  errorCodes.filter(code => errorStatuses[code] === status && description.includes(`\`${code}\`:`))

/** Every operation of the document, in its order. */
export function operationsOf(document: OpenApiDocument): ApiOperation[] {
  const paths = Object.entries(document.paths) as [string, { readonly [method: string]: OperationObject }][]
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const responses = Object.entries(operation.responses).map(([status, response]) => ({
        status: Number(status),
        meaning: response.description,
        schema: schemaIn(response),
      }))
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        tag: operation.tags[0] ?? '',
        summary: operation.summary,
        description: operation.description,
        parameters: operation.parameters,
        body: schemaIn(operation.requestBody),
        responses: responses.filter(({ status }) => status < 400),
        errors: responses.flatMap(({ status, meaning }) => codesIn(status, meaning)),
      }
    }),
  )
}

/** `createMagicLink` is "Create magic link", which fits the table of contents better than the summary. */
export const shortName = ({ id }: ApiOperation): string => {
  const words = id.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
