import pino, { type Level, type Logger } from 'pino'

/** What is told of an error besides its words. PostgreSQL's `detail` is not among it: it quotes the row that it refused. */
const TOLD = ['code', 'constraint', 'table', 'column', 'routine', 'syscall', 'address', 'port'] as const

export function describeError(error: unknown): unknown {
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

/** The log of a process: JSON lines on standard output or, where that is for results, on standard error. */
export const createLog = (level: Level | 'silent', file: 1 | 2 = 1): Logger =>
  pino({ level, serializers: { err: describeError } }, pino.destination(file))
