import pg from 'pg'

/** The unique constraint that a statement violated, if that is why it failed. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined
}

/** The foreign key that a statement violated, if that is why it failed. */
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

/** Messages of pg when a connection takes longer than it may: of a client, and of a pool. */
const TIMEOUT_MESSAGES = [
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
]

/** Messages of pg's own connection errors, which have no code. */
const CONNECTION_MESSAGES = [
  'Connection terminated',
  ...TIMEOUT_MESSAGES,
  'Client has encountered a connection error',
  'Cannot use a pool after calling end on the pool',
]

/** Whether the database is unreachable or refuses to serve: the caller should retry later. */
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

/** As of a pool, for what has waited as long without asking for a connection. */
export const poolTimeout = () => new Error(TIMEOUT_MESSAGES[1])

/** The statement was refused or canceled, so nothing was committed: too few resources, a time limit, a read-only standby. */
export const isUndone = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(53|57014|25006)/.test(error.code ?? '')

/** Whether PostgreSQL was reached but too slow to connect, as on a machine that is busy. */
export const isConnectionTimeout = (error: unknown) =>
  error instanceof Error && TIMEOUT_MESSAGES.includes(error.message)

/** A statement was given what its function doesn't take, such as a time zone that PostgreSQL doesn't have. */
export const isInvalidParameter = (error: unknown) =>
  error instanceof pg.DatabaseError && error.code === '22023'

/** Deadlock or serialization failure: the transaction was rolled back, so it is safe to retry. */
export const isTransient = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

/** A lock was not free within the transaction's limit: it was rolled back. */
export const isLockTimeout = (error: unknown) => error instanceof pg.DatabaseError && error.code === '55P03'

/** A prepared statement already exists or is gone: an undeclared pooler shares our connections. */
export function indicatesPooler(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['42P05', '26000'].includes(error.code ?? '')
}

/** What an operator can fix: an unknown database or role, a wrong password, missing privileges. */
export function isConfigurationError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['3D000', '28000', '28P01', '42501'].includes(error.code ?? '')
}
