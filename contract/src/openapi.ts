import type { TSchema } from 'typebox'
import { ErrorBody, type ErrorCode, errorMeanings, errorStatuses } from './errors.ts'
import { Id } from './fields.ts'
import { components, type Operation, operations, tagDescriptions } from './operations.ts'
import { webhookPaths } from './webhooks.ts'

type Json = { [key: string]: unknown }

const componentNames = new Map<unknown, string>(
  Object.entries({ ...components, Error: ErrorBody }).map(([name, schema]) => [schema, name]),
)

/** Replaces schemas that have a name by a reference to it, except where that schema itself is being written. */
function withReferences(schema: unknown, top = false): unknown {
  if (Array.isArray(schema)) return schema.map(item => withReferences(item))
  if (schema === null || typeof schema !== 'object') return schema
  const name = componentNames.get(schema)
  if (name && !top) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]))
}

const json = (schema: TSchema) => ({ 'application/json': { schema: withReferences(schema) } })

const header = (type: 'string' | 'integer', description: string) => ({ schema: { type }, description })

const everyAnswer = {
  'Request-Id': header('string', 'Names this request in the log of the service'),
  'RateLimit-Policy': header('string', 'The limit: requests (`q`) in a window of seconds (`w`)'),
  RateLimit: header(
    'string',
    'What is left (`r`), and in how many seconds the oldest request leaves the window (`t`)',
  ),
  'X-RateLimit-Limit': header('integer', 'Requests allowed in the window'),
  'X-RateLimit-Remaining': header('integer', 'Requests left in the window'),
  'X-RateLimit-Reset': header('integer', 'Seconds until the oldest request leaves the window'),
}
const replayed = { 'Idempotent-Replayed': header('string', '`true` where this is the first answer again') }
const retryAfter = { 'Retry-After': header('integer', 'Seconds to wait before trying again') }
const headersOfStatus: Record<number, Json> = {
  401: { 'WWW-Authenticate': header('string', 'The accepted schemes: `Bearer, Basic`') },
  409: {
    'Retry-After': header(
      'integer',
      'Only where a request with the same `Idempotency-Key` is still under way',
    ),
  },
  429: retryAfter,
  503: retryAfter,
}

export const takesIdempotencyKey = ({ method }: Pick<Operation, 'method'>) =>
  method === 'POST' || method === 'PATCH'

function responses(operation: Operation): Json {
  const answers: Json = {}
  const onSuccess = takesIdempotencyKey(operation) ? { ...everyAnswer, ...replayed } : everyAnswer
  for (const [status, { schema, meaning }] of Object.entries(operation.success))
    answers[status] = { description: meaning, headers: onSuccess, ...(schema && { content: json(schema) }) }
  const codesByStatus = new Map<number, ErrorCode[]>()
  for (const code of operation.errors)
    codesByStatus.set(errorStatuses[code], [...(codesByStatus.get(errorStatuses[code]) ?? []), code])
  for (const [status, codes] of [...codesByStatus].sort(([a], [b]) => a - b))
    answers[status] = {
      description: codes.map(code => `\`${code}\`: ${errorMeanings[code]}`).join(' '),
      headers: {
        ...everyAnswer,
        ...headersOfStatus[status],
        ...(status === 409 && takesIdempotencyKey(operation) && replayed),
      },
      content: json(ErrorBody),
    }
  return answers
}

function parameters(operation: Operation): Json[] {
  const { path, query } = operation
  const found: Json[] = []
  if (path.includes('{id}'))
    found.push({ name: 'id', in: 'path', required: true, description: 'Which one', schema: Id })
  for (const [name, schema] of Object.entries((query as { properties?: Json }).properties ?? {}))
    found.push({ name, in: 'query', required: false, schema: withReferences(schema) })
  if (takesIdempotencyKey(operation))
    found.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'The same key with the same request replays the first answer (2xx or 409) for 24 hours; other errors do not use up the key',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    })
  return found
}

function paths(): Json {
  const found: { [path: string]: Json } = {}
  for (const [operationId, operation] of Object.entries<Operation>(operations)) {
    const path = found[operation.path] ?? {}
    path[operation.method.toLowerCase()] = {
      operationId,
      tags: [operation.tag],
      summary: operation.summary,
      description: operation.description,
      parameters: parameters(operation),
      ...(operation.body && { requestBody: { required: true, content: json(operation.body) } }),
      responses: responses(operation),
    }
    found[operation.path] = path
  }
  return found
}

/** The whole interface as an OpenAPI 3.1 document. */
export function openApiDocument(baseUrl: string) {
  const names = Object.entries({ ...components, Error: ErrorBody })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary API',
      version: '1',
      description:
        'Server-to-server JSON API of an affiliate or referral programme. Money is an integer in minor units, ' +
        'paired with its currency. Every object is closed: it holds the listed fields and no others.',
      contact: { name: 'Documentation of this service', url: `${baseUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }, { basic: [] }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: webhookPaths(json),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `trib_…`' },
        basic: { type: 'http', scheme: 'basic', description: 'An API key as the username, no password' },
      },
      schemas: Object.fromEntries(names.map(([name, schema]) => [name, withReferences(schema, true)])),
    },
  }
}
export type OpenApiDocument = ReturnType<typeof openApiDocument>
