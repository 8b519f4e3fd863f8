import type { TSchema } from 'typebox'
import { ErrorBody, type ErrorCode, errorMeanings, errorStatuses } from './errors.ts'
import { Id } from './fields.ts'
import { components, type Operation, operations, tagDescriptions } from './operations.ts'
import { webhookPaths } from './webhooks.ts'

type Json = { [key: string]: unknown }

const componentNames = new Map<unknown, string>(
  Object.entries({ ...components, Error: ErrorBody }).map(([name, schema]) => [schema, name]),
)

/** Replaces named schemas by references, except at the top level, where the named schema itself is written. */
function withReferences(schema: unknown, top = false): unknown {
  if (Array.isArray(schema)) return schema.map(item => withReferences(item))
  if (schema === null || typeof schema !== 'object') return schema
  const name = componentNames.get(schema)
  if (name && !top) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]))
}

const json = (schema: TSchema) => ({ 'application/json': { schema: withReferences(schema) } })

const header = (type: 'string' | 'integer', description: string) => ({ schema: { type }, description })

const commonHeaders = {
  'Request-Id': header('string', "Identifies the request in the service's log"),
  'RateLimit-Policy': header('string', 'The limit: requests (`q`) in a window of seconds (`w`)'),
  RateLimit: header(
    'string',
    'Requests left (`r`), and seconds until the oldest request leaves the window (`t`)',
  ),
  'X-RateLimit-Limit': header('integer', 'Requests allowed in the window'),
  'X-RateLimit-Remaining': header('integer', 'Requests left in the window'),
  'X-RateLimit-Reset': header('integer', 'Seconds until the oldest request leaves the window'),
}
const replayed = {
  'Idempotent-Replayed': header('string', '`true` if this is a replay of the first response'),
}
const retryAfter = { 'Retry-After': header('integer', 'Seconds to wait before retrying') }
const headersOfStatus: Record<number, Json> = {
  401: { 'WWW-Authenticate': header('string', 'The accepted schemes: `Bearer, Basic`') },
  409: {
    'Retry-After': header(
      'integer',
      'Only if a request with the same `Idempotency-Key` is still in progress',
    ),
  },
  429: retryAfter,
  503: retryAfter,
}

export const takesIdempotencyKey = ({ method }: Pick<Operation, 'method'>) =>
  method === 'POST' || method === 'PATCH'

function responses(operation: Operation): Json {
  const found: Json = {}
  const onSuccess = takesIdempotencyKey(operation) ? { ...commonHeaders, ...replayed } : commonHeaders
  for (const [status, { schema, meaning }] of Object.entries(operation.success))
    found[status] = { description: meaning, headers: onSuccess, ...(schema && { content: json(schema) }) }
  const codesByStatus = new Map<number, ErrorCode[]>()
  for (const code of operation.errors)
    codesByStatus.set(errorStatuses[code], [...(codesByStatus.get(errorStatuses[code]) ?? []), code])
  for (const [status, codes] of [...codesByStatus].sort(([a], [b]) => a - b))
    found[status] = {
      description: codes.map(code => `\`${code}\`: ${errorMeanings[code]}`).join(' '),
      headers: {
        ...commonHeaders,
        ...headersOfStatus[status],
        ...(status === 409 && takesIdempotencyKey(operation) && replayed),
      },
      content: json(ErrorBody),
    }
  return found
}

function parameters(operation: Operation): Json[] {
  const { path, query } = operation
  const found: Json[] = []
  if (path.includes('{id}'))
    found.push({ name: 'id', in: 'path', required: true, description: 'ID of the object', schema: Id })
  for (const [name, schema] of Object.entries((query as { properties?: Json }).properties ?? {}))
    found.push({ name, in: 'query', required: false, schema: withReferences(schema) })
  if (takesIdempotencyKey(operation))
    found.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'A repeated request with the same key replays the first response (2xx or 409) for 24 hours; other errors do not consume the key',
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

/** The API as an OpenAPI 3.1 document. */
export function openApiDocument(baseUrl: string) {
  const names = Object.entries({ ...components, Error: ErrorBody })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary API',
      version: '1',
      description:
        'Server-to-server JSON API for affiliate and referral programmes. Amounts are integers in minor units, ' +
        'paired with a currency. Objects have the listed fields and no others.',
      contact: { name: 'Documentation', url: `${baseUrl}/docs` },
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
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'An API key as the username, with an empty password',
        },
      },
      schemas: Object.fromEntries(names.map(([name, schema]) => [name, withReferences(schema, true)])),
    },
  }
}
export type OpenApiDocument = ReturnType<typeof openApiDocument>
