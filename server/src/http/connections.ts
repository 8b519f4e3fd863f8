import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'

/** Limits of one connection. */
export const connectionLimits = {
  /** Time to receive the headers of a request, and the whole request. */
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  /** Interval of the checks for slow requests and unread responses. */
  checkEveryMs: 5000,
  /** A connection without traffic for this long is closed, unless it is waiting for a response. */
  stallTimeoutMs: 30_000,
  /** Time for the client to read a completely written response, however slowly it reads. */
  responseTimeoutMs: 120_000,
  /** Longer than the idle timeout of proxies, so that the proxy closes first. */
  keepAliveTimeoutMs: 72_000,
  /** Maximum pipelined requests waiting on a connection. */
  mostWaiting: 16,
  mostConnections: 10_000,
}
export type ConnectionLimits = typeof connectionLimits

/** The requests of one connection, handled one at a time and in order. */
interface Line {
  current: ServerResponse | undefined
  waiting: ServerResponse[]
  isClosing: boolean
  /** When the current response was first seen written but unread. */
  unreadSince: number | undefined
}

/** Stored on the socket: it is needed for every request. */
const LINE = Symbol('line')
type LinedSocket = Socket & { [LINE]?: Line }
const lineOf = (socket: LinedSocket) => socket[LINE]

/** Whether part of a response has been sent on a connection. */
export const hasStartedResponse = (socket: Socket) => lineOf(socket)?.current?.headersSent === true

/** An undocumented part of Node's HTTP server; `connections.test.ts` fails if it changes. */
type ParsedSocket = Socket & { parser?: { onIncoming?: (request: IncomingMessage) => number } | null }

/**
 * All requests in one packet, even 1,500, are parsed in one go, whatever is done to the socket in the meantime. Treating the next one as
 * an upgrade (2) makes the parser ignore the rest.
 */
function stopParsing(socket: ParsedSocket): void {
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => 2
  socket.pause()
}

/** Requests with `Expect: 100-continue`; `beginBody` sends the 100. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>()
export const awaitsContinue = (request: IncomingMessage) => awaitingContinue.has(request)
export function beginBody(request: IncomingMessage): void {
  awaitingContinue.get(request)?.writeContinue()
  awaitingContinue.delete(request)
}

/**
 * An HTTP server that bounds the memory of each connection: pipelined requests are handled one by one, so that a connection never holds
 * more than one response; past `mostWaiting` it closes after the last of them; and it is closed if responses are not read.
 */
export function createBoundedServer(
  handle: RequestListener,
  limits: ConnectionLimits = connectionLimits,
): Server {
  const sockets = new Set<LinedSocket>()

  function begin(line: Line, response: ServerResponse): void {
    line.current = response
    line.unreadSince = undefined
    response.on('close', next)
    handle(response.req, response)
  }
  function next(this: ServerResponse): void {
    const { socket } = this.req
    const line = lineOf(socket)
    if (!line) return
    line.current = undefined
    if (socket.destroyed) line.waiting = []
    const following = line.waiting.shift()
    if (following) begin(line, following)
  }
  function open(socket: LinedSocket): Line {
    const line = { current: undefined, waiting: [], isClosing: false, unreadSince: undefined }
    socket[LINE] = line
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return line
  }
  function take({ socket }: IncomingMessage, response: ServerResponse): void {
    const line = lineOf(socket) ?? open(socket)
    if (line.isClosing) return
    if (!line.current) {
      begin(line, response)
      return
    }
    line.waiting.push(response)
    if (line.waiting.length < limits.mostWaiting) return
    line.isClosing = true
    response.shouldKeepAlive = false
    stopParsing(socket)
  }
  function watchUnread(): void {
    const now = performance.now()
    for (const socket of sockets) {
      const line = lineOf(socket)
      // Node's own timeout sees every byte that moves; set only where needed, because it costs each request a little.
      if (line?.current && socket.writableLength > 0 && socket.timeout !== limits.stallTimeoutMs)
        socket.setTimeout(limits.stallTimeoutMs)
      if (!line?.current?.writableEnded) continue
      line.unreadSince ??= now
      if (now - line.unreadSince > limits.responseTimeoutMs) socket.resetAndDestroy()
    }
  }

  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    take,
  )
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitingContinue.set(request, response)
    take(request, response)
  })
  server.on('timeout', (socket: Socket) => {
    const awaitsResponse = lineOf(socket)?.current !== undefined && socket.writableLength === 0
    // Reset, not closed: unread data must not stay in the kernel's buffers either.
    if (!awaitsResponse) socket.resetAndDestroy()
  })
  server.maxConnections = limits.mostConnections
  // In a group: excess connections are closed, not passed to the next process and back.
  Object.assign(server, { dropMaxConnection: true })
  const check = setInterval(watchUnread, limits.checkEveryMs).unref()
  server.on('close', () => clearInterval(check))
  return server
}
