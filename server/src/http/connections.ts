import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'

/** What one connection may take of the service, and for how long. */
export const connectionLimits = {
  /** Within this the headers of a request have arrived, and within the other the whole request. */
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  /** How often the two above are checked, and answers that nobody reads are looked for. */
  checkEveryMs: 5000,
  /** A connection on which no byte moves for this long is closed, unless it waits for us. */
  stallTimeoutMs: 30_000,
  /** An answer that was written whole has been read within this, however slowly its bytes move. */
  responseTimeoutMs: 120_000,
  /** Longer than proxies keep an idle connection, so that it is they who close it. */
  keepAliveTimeoutMs: 72_000,
  /** Requests that wait on a connection for the answer to the one before. */
  mostWaiting: 16,
  mostConnections: 10_000,
}
export type ConnectionLimits = typeof connectionLimits

/** The requests of one connection: one is answered at a time, in the order in which they came. */
interface Line {
  current: ServerResponse | undefined
  waiting: ServerResponse[]
  isClosing: boolean
  /** When the current answer was first seen written but unread. */
  unreadSince: number | undefined
}

/** Kept on the socket itself: it is looked up with every request. */
const LINE = Symbol('line')
type LinedSocket = Socket & { [LINE]?: Line }
const lineOf = (socket: LinedSocket) => socket[LINE]

/** Whether part of an answer has been sent on a connection. */
export const hasStartedResponse = (socket: Socket) => lineOf(socket)?.current?.headersSent === true

/** Part of Node's own HTTP server, and nothing that it promises; `connections.test.ts` notices when it changes. */
type ParsedSocket = Socket & { parser?: { onIncoming?: (request: IncomingMessage) => number } | null }

/**
 * Requests that arrived in one packet are parsed in one go, 1,500 of them as well, whatever is done to the socket meanwhile. Answering
 * the next one as an upgrade (2) makes the parser leave the rest alone.
 */
function stopParsing(socket: ParsedSocket): void {
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => 2
  socket.pause()
}

/** Requests whose senders wait to be asked for the body; `beginBody` asks. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>()
export const awaitsContinue = (request: IncomingMessage) => awaitingContinue.has(request)
export function beginBody(request: IncomingMessage): void {
  awaitingContinue.get(request)?.writeContinue()
  awaitingContinue.delete(request)
}

/**
 * An HTTP server that bounds what each connection holds: pipelined requests are answered one by one, so that a connection never holds
 * more than one answer; past `mostWaiting` it ends with the last of them; and it is closed when nobody reads what was answered.
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
      // Node's own time-out sees every byte that moves; set only where it is needed, because it costs each request something.
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
    const isOurTurn = lineOf(socket)?.current !== undefined && socket.writableLength === 0
    // Not closed but reset: what nobody reads is not to stay in the kernel's buffers either.
    if (!isOurTurn) socket.resetAndDestroy()
  })
  server.maxConnections = limits.mostConnections
  // In a group: a connection too many is closed, not handed to the next process and back.
  Object.assign(server, { dropMaxConnection: true })
  const check = setInterval(watchUnread, limits.checkEveryMs).unref()
  server.on('close', () => clearInterval(check))
  return server
}
