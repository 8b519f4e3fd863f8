import pino, { type Level, type Logger } from 'pino'

/** What is told of an error besides its words. PostgreSQL's `detail` is not among it: it quotes the row that it refused. */
const TOLD = ['code', 'constraint', 'table', 'column', 'routine', 'syscall', 'address', 'port'] as const

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const fields = error as Partial<Record<(typeof TOLD)[number], unknown>>
  const told = TOLD.filter(name => fields[name] !== undefined).map(name => [name, fields[name]])
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(told),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  }
}

/** Whether output goes nowhere any more: its reader has ended, or the terminal was closed. */
export const isReaderGone = (error: unknown) =>
  ['EPIPE', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The log of a process: JSON lines on standard output or, where that is for results, on standard error. */
export function createLog(level: Level | 'silent', file: 1 | 2 = 1): Logger {
  const destination = pino.destination(file)
  // A closed terminal must not keep the service from stopping properly. Pino stops writing after EPIPE alone; after EIO it would
  // throw now, and at the end of the process try again for ever.
  destination.on('error', error => {
    if (!isReaderGone(error)) throw error
    const drop = () => true
    Object.assign(destination, { write: drop, flush: drop, flushSync: drop, end: drop })
  })
  return pino({ level, serializers: { err: describeError } }, destination)
}
