import pino, { type Level, type Logger } from 'pino'

/** Fields of an error that are logged besides its message. Not PostgreSQL's `detail`, which quotes the rejected row. */
const LOGGED_FIELDS = [
  'code',
  'constraint',
  'table',
  'column',
  'routine',
  'syscall',
  'address',
  'port',
] as const

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const fields = error as Partial<Record<(typeof LOGGED_FIELDS)[number], unknown>>
  const logged = LOGGED_FIELDS.filter(name => fields[name] !== undefined).map(name => [name, fields[name]])
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(logged),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  }
}

/** Whether the reader of our output is gone: the process has exited, or the terminal was closed. */
export const isReaderGone = (error: unknown) =>
  ['EPIPE', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')

/** A JSON-lines log on standard output or, for commands that print results there, on standard error. */
export function createLog(level: Level | 'silent', file: 1 | 2 = 1): Logger {
  const destination = pino.destination(file)
  // A closed terminal must not keep the service from stopping properly. Pino stops writing after EPIPE only; after EIO it would throw
  // now, and retry forever at the end of the process.
  destination.on('error', error => {
    if (!isReaderGone(error)) throw error
    const drop = () => true
    Object.assign(destination, { write: drop, flush: drop, flushSync: drop, end: drop })
  })
  return pino({ level, serializers: { err: describeError } }, destination)
}
