import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  method: string | undefined
  path: string | undefined
  headers: IncomingHttpHeaders
  body: string
  at: number
  /** Whether the client disconnected before it had the whole response. */
  abandoned: boolean
}

/** How one request is handled. */
export type Behaviour = (response: ServerResponse) => void

export const answer =
  (status: number, body?: object, headers: Record<string, string> = {}): Behaviour =>
  response => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(body && JSON.stringify(body))
  }

export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Behaviour =>
  answer(status, { error: { code, message: `It is ${code}.` } }, { 'request-id': 'req-1', ...headers })

/** The response of a proxy that can't reach the service. */
export const html =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  response => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers })
    response.end('<html><body><h1>nginx</h1></body></html>')
  }

export const reset: Behaviour = response => response.socket?.resetAndDestroy()

export const hang: Behaviour = () => undefined

export const half: Behaviour = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"id":1,', () => response.socket?.destroy())
}

/** Without a length, HTTP can't detect that the rest is missing. */
export const halfWithoutLength: Behaviour = response => {
  response.useChunkedEncodingByDefault = false
  response.shouldKeepAlive = false
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"id":1,')
}

/** Simulates a service behind a bad network: every request gets the next of the given behaviours. */
export async function startFaultyServer() {
  const received: Received[] = []
  const behaviours: Behaviour[] = []
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request
    const seen = { method, path, headers, body: await text(request), at: performance.now(), abandoned: false }
    received.push(seen)
    response.on('close', () => {
      seen.abandoned = !response.writableFinished
    })
    const behave = behaviours.shift() ?? refusal(500, 'internal_error')
    behave(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Replaces the behaviours. */
    willDo(...next: Behaviour[]) {
      received.length = 0
      behaviours.splice(0, behaviours.length, ...next)
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
export type FaultyServer = Awaited<ReturnType<typeof startFaultyServer>>
