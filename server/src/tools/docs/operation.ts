import { type ErrorCode, errorStatuses, type OpenApiDocument } from '@tributary/contract'
import type { Field, Schema } from './schema.ts'

export interface Answer {
  readonly status: number
  readonly meaning: string
  /** Absent where the answer has no body. */
  readonly schema: Schema | undefined
}

export interface Parameter extends Field {
  readonly in: string
}

/** An operation as the pages show it. */
export interface ApiOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly answers: readonly Answer[]
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

/** OpenAPI has no place for error codes, so each answer's description opens with those that it stands for. */
const codesIn = (status: number, description: string) =>
  errorCodes.filter(code => errorStatuses[code] === status && description.includes(`\`${code}\`:`))

/** Every operation of the document in its order, which is also the order of the page. */
export function operationsOf(document: OpenApiDocument): ApiOperation[] {
  const paths = Object.entries(document.paths) as [string, { readonly [method: string]: OperationObject }][]
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const answers = Object.entries(operation.responses).map(([status, response]) => ({
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
        answers: answers.filter(({ status }) => status < 400),
        errors: answers.flatMap(({ status, meaning }) => codesIn(status, meaning)),
      }
    }),
  )
}

/** `createMagicLink` is "Create magic link": short enough for a list of links, where the summary is not. */
export const shortName = ({ id }: ApiOperation): string => {
  const words = id.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
