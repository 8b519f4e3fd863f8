/** A remedy whose setting only the program that uses this package can name. */
export type Remedy = 'own-postgres' | 'other-data-dir'

/** An error that an operator can act on: the message says what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
  readonly remedy: Remedy | undefined

  constructor(message: string, { remedy, ...options }: ErrorOptions & { remedy?: Remedy | undefined } = {}) {
    super(message, options)
    this.remedy = remedy
  }
}

interface FileFault {
  message: string
  remedy?: Remedy
}

const NO_ACCESS: FileFault = {
  message:
    'is not accessible to this user: run the program as the user who created it, or correct its ownership',
}

const FILE_FAULTS: Record<string, FileFault> = {
  EACCES: NO_ACCESS,
  EPERM: NO_ACCESS,
  EROFS: { message: 'is on a read-only file system', remedy: 'other-data-dir' },
  ENOSPC: { message: 'is on a file system that is full: free some space and start again' },
  EDQUOT: { message: 'is on a file system whose quota is used up: free some space and start again' },
  ENOTDIR: { message: 'contains a file where a directory is expected', remedy: 'other-data-dir' },
}

/** The system's error code (ENOENT) or PostgreSQL's (57P03); both drivers put it into `code`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Turns file system errors into messages that an operator can act on; bugs keep their stack. */
export function forOperator(error: unknown, dataDir: string): unknown {
  const fault = FILE_FAULTS[errorCode(error) ?? '']
  if (fault === undefined || error instanceof EmbeddedPostgresError) return error
  const path = error instanceof Error && 'path' in error ? String(error.path) : dataDir
  return new EmbeddedPostgresError(`${path} ${fault.message} (${messageOf(error)}).`, {
    cause: error,
    remedy: fault.remedy,
  })
}
