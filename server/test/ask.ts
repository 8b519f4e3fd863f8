import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Question {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

/**
 * Without a timeout, Node keeps idle connections until the server closes them, after 73 s: a request that is sent at that moment fails, and on
 * a busy machine the moment is long.
 */
const IDLE_MS = 30_000
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })

/** A request as `fetch` makes it, for less than half the processor time: the tests send thousands. */
export async function ask(url: string, { method, headers: given, body }: Question) {
  // Without it the body of a DELETE has no length.
  const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request(url, { method, headers: { ...length, ...given }, agent }).end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const headers = new Headers()
  for (let index = 0; index < answer.rawHeaders.length; index += 2)
    headers.append(answer.rawHeaders[index] as string, answer.rawHeaders[index + 1] as string)
  return { status: answer.statusCode as number, headers, text: await text(answer) }
}
