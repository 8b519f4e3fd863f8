import { ErrorBody, errorStatuses, type Operation, operations } from '@tributary/contract'
import { Ajv } from 'ajv'
import { isTimestamp } from '../src/kit/timestamp.ts'
import { ask } from './ask.ts'

const ajv = new Ajv({ strict: false, formats: { 'date-time': isTimestamp } })
const isErrorBody = ajv.compile(ErrorBody)

const checks = Object.entries<Operation>(operations).map(([id, operation]) => ({
  id,
  operation,
  pattern: new RegExp(`^${operation.path.replace('{id}', '[^/]+')}/?$`),
  success: new Map(
    Object.entries(operation.success).map(([status, { schema }]) => [
      Number(status),
      schema && ajv.compile(schema),
    ]),
  ),
}))

export interface Answer {
  status: number
  headers: Headers
  /** The body as it came, for comparisons byte by byte. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
  body: any
}

/** A request that a busy server rejects for now (503) is sent again, as a client does. */
export async function untilTaken(send: () => Promise<Answer>): Promise<Answer> {
  const answer = await send()
  return answer.status === 503 ? untilTaken(send) : answer
}

/** Throws where an answer is not exactly what the contract says it may be. */
function assertContract(method: string, path: string, { status, headers, body }: Answer): void {
  const complain = (problem: string) => {
    throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}: ${problem}`)
  }
  if (!headers.get('request-id')) complain('no Request-Id')
  const check = checks.find(
    ({ operation, pattern }) => operation.method === method && pattern.test(path.split('?')[0] ?? ''),
  )
  if (status >= 400) {
    if (!isErrorBody(body)) complain('not the error object')
    if (errorStatuses[body.error.code as keyof typeof errorStatuses] !== status)
      complain('code and status do not match')
    if (check && !check.operation.errors.includes(body.error.code))
      complain('an error that the contract does not declare')
    return
  }
  if (!check) return
  if (!check.success.has(status)) complain('a status that the contract does not declare')
  const schema = check.success.get(status)
  if (schema && !schema(body)) complain(ajv.errorsText(schema.errors))
  if (!schema && body !== undefined) complain('a body where there is none')
}

export interface RequestOptions {
  body?: unknown
  headers?: Record<string, string>
}

/** A client of the API that holds every answer against the closed schemas of the contract. */
export class TestClient {
  readonly url: string
  readonly key: string | undefined

  constructor(url: string, key?: string) {
    this.url = url
    this.key = key
  }

  get = (path: string, options?: RequestOptions) => this.send('GET', path, options)
  post = (path: string, body?: unknown, options: RequestOptions = {}) =>
    this.send('POST', path, { body, ...options })
  patch = (path: string, body?: unknown, options: RequestOptions = {}) =>
    this.send('PATCH', path, { body, ...options })
  delete = (path: string) => this.send('DELETE', path)

  /** Paths are below /api/v1, unless they begin with /ingest. A body that is a string or bytes is sent as it is. */
  async send(method: string, path: string, { body, headers = {} }: RequestOptions = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const fullPath = path.startsWith('/ingest/') ? path : `/api/v1${path}`
    const {
      status,
      headers: answered,
      text,
    } = await ask(`${this.url}${fullPath}`, {
      method,
      headers: {
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    })
    const answer = { status, headers: answered, text, body: text === '' ? undefined : JSON.parse(text) }
    if (method !== 'HEAD') assertContract(method, fullPath, answer)
    return answer
  }
}
