import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** A request as it came, with the moment at which its last byte was here. */
export interface Received {
  path: string
  atMs: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => unknown

/** How long a busy machine is given for what comes in milliseconds on one at rest. */
export const PATIENCE_MS = 60_000

/** Keeps writing as fast as the other side reads, until it hangs up. */
async function flood(response: ServerResponse, chunk: Buffer): Promise<void> {
  while (!response.destroyed) {
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    await sleep(0)
  }
}

/** Larger than the limit even when compressed, so that the stored bytes show whether it was decompressed. */
export const GZIP_BOMB = gzipSync(Buffer.alloc(24 * 1024 * 1024))

const behaviour = (run: Behaviour): Behaviour => run

/** How a receiver may behave, for better or worse. */
export const behaviours = {
  ok: behaviour(response => response.end('thank you')),
  okAfter: (delayMs: number) => behaviour(response => setTimeout(() => response.end(), delayMs)),
  status: (status: number, headers: Record<string, string> = {}) =>
    behaviour(response =>
      response.writeHead(status, headers).end(status === 204 ? undefined : `status ${status}`),
    ),
  hang: behaviour(() => undefined),
  drip: behaviour(response => {
    response.writeHead(200).write('x')
    const timer = setInterval(() => response.write('x'), 1000)
    response.on('close', () => clearInterval(timer))
  }),
  redirect: (location: string) =>
    behaviour(response => response.writeHead(302, { location }).end('elsewhere')),
  endlessBody: behaviour(response => flood(response.writeHead(200), Buffer.alloc(64 * 1024, 'a'))),
  /** Headers without an end, in raw bytes, since no server would send them. */
  endlessHeaders: behaviour(({ socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket?.write(`x-${Math.random()}: ${'y'.repeat(1000)}\r\n`), 1)
    socket?.on('close', () => clearInterval(timer))
  }),
  slowHeaders: behaviour(({ socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
    const timer = setInterval(() => socket?.write('y'), 1000)
    socket?.on('close', () => clearInterval(timer))
  }),
  gzipBomb: behaviour(response => response.writeHead(200, { 'content-encoding': 'gzip' }).end(GZIP_BOMB)),
  resetMidway: behaviour(response => {
    response.writeHead(200, { 'content-length': '1000' }).write('half of it')
    // The client, in the same process, reads what came in between the timer and the reset.
    setTimeout(() => setImmediate(() => response.socket?.resetAndDestroy()), 20)
  }),
  notHttp: behaviour(({ socket }) => socket?.end('220 mail.example ESMTP\r\n')),
}

/** Keeps requests waiting until the test lets them go; the first few are answered at once. */
export class Gate {
  readonly #held: ServerResponse[] = []
  #free: number

  constructor(free = 0) {
    this.#free = free
  }

  readonly behaviour: Behaviour = response => {
    if (this.#free > 0) {
      this.#free--
      response.end()
    } else this.#held.push(response)
  }

  /** How many wait for an answer and have not hung up. */
  get waiting(): number {
    return this.#held.filter(({ destroyed }) => !destroyed).length
  }

  /** Answers everybody who waits, and from now on everybody at once. */
  open(): void {
    this.#free = Number.POSITIVE_INFINITY
    for (const response of this.#held.splice(0)) response.end()
  }
}

/** A loopback server that records every request and has a configurable behaviour per path; by default it responds with 200. */
export class Receiver {
  readonly received: Received[] = []
  /** The same by path, since thousands may come to a hundred of them. */
  readonly #received = new Map<string, Received[]>()
  /** Connections that were ever opened, with or without a request on them. */
  connections = 0
  readonly #behaviours = new Map<string, Behaviour>()
  readonly #waiting = new Set<() => void>()
  readonly #server = createServer((request, response) => this.#answer(request, response))

  static async start(host = '127.0.0.1', port = 0): Promise<Receiver> {
    const receiver = new Receiver()
    const server = receiver.#server
    server.on('connection', socket => {
      receiver.connections++
      socket.on('error', () => undefined)
    })
    // What is not HTTP at all, such as a TLS handshake, counts as a connection and needs no answer.
    server.on('clientError', (_error, socket) => socket.destroy())
    server.keepAliveTimeout = 60_000
    // Workers may open more connections at once than fit into the default of 511 while this process is busy. Those that don't are taken for
    // open by their client, and their requests arrive after seconds, when the attempt may be over.
    server.listen({ port, host, backlog: 4096 })
    await once(server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path: string): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${address}:${port}${path}`
  }

  behave(path: string, behaviour: Behaviour): void {
    this.#behaviours.set(path, behaviour)
  }

  at(path: string): Received[] {
    return [...(this.#received.get(path) ?? [])]
  }

  /** Resolves once so many requests have come to a path (to any, without one). */
  async arrived(count: number, path?: string, withinMs = PATIENCE_MS): Promise<Received[]> {
    const found = () => (path === undefined ? this.received : (this.#received.get(path) ?? []))
    let late = false
    const timer = setTimeout(() => {
      late = true
      for (const wake of this.#waiting) wake()
    }, withinMs)
    while (found().length < count && !late)
      await new Promise<void>(resolve => this.#waiting.add(resolve)).finally(() => this.#waiting.clear())
    clearTimeout(timer)
    if (found().length < count)
      throw new Error(
        `${found().length} of ${count} requests came to ${path ?? 'the receiver'} in ${withinMs} ms`,
      )
    return [...found()]
  }

  /** Hangs up on everybody who still waits for an answer. */
  release(): void {
    this.#server.closeAllConnections()
  }

  async close(): Promise<void> {
    this.#server.close()
    this.release()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    const received = { path, atMs: Date.now(), headers: request.headers, body: Buffer.concat(chunks) }
    this.received.push(received)
    const here = this.#received.get(path)
    if (here) here.push(received)
    else this.#received.set(path, [received])
    for (const wake of this.#waiting) wake()
    const behave = this.#behaviours.get(path) ?? behaviours.ok
    behave(response, request)
  }
}
