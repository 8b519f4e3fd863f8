import pg from 'pg'

/** The name of the unique constraint that a statement broke, if that is why it failed. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined
}

/** The name of the foreign key that a statement broke by naming what does not exist. */
export function brokenReference(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23503' ? error.constraint : undefined
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** What pg says when a connection ends under it or none can be had; these errors carry no code. */
const CONNECTION_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Cannot use a pool after calling end on the pool',
]

/** Whether the database could not be reached or would not serve: the caller should try again later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? ''
    // Connection exceptions, too many connections, operator intervention (shutdown, crash, starting up), read-only standby.
    return code.startsWith('08') || code.startsWith('53') || code.startsWith('57') || code === '25006'
  }
  const code = (error as NodeJS.ErrnoException).code
  return (
    (code !== undefined && NETWORK_CODES.has(code)) ||
    CONNECTION_MESSAGES.some(message => error.message.startsWith(message))
  )
}

/** Deadlock and serialization failure: the transaction left no trace, so running it again is safe. */
export const isTransient = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

/** A statement that we have named is there already or is gone: somebody hands our connections round. */
export function betraysPooler(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['42P05', '26000'].includes(error.code ?? '')
}

/** What an operator can mend: an unknown database or role, a wrong password, missing rights, too old a server. */
export function isOperatorsMistake(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['3D000', '28000', '28P01', '42501'].includes(error.code ?? '')
}
