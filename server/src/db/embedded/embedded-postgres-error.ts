/** A fault of the embedded PostgreSQL that an operator can meet: the message says what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

/** The way out that is always open: an operator who cannot use the embedded PostgreSQL brings their own. */
export const OWN_DATABASE_ADVICE =
  'Set DATABASE_URL to a PostgreSQL of your own (15 or later) to run without the embedded one.'

const FILE_FAULTS: Record<string, string> = {
  EACCES:
    'is not accessible to this user: run Tributary as the user who created it, or correct its ownership',
  EPERM: 'is not accessible to this user: run Tributary as the user who created it, or correct its ownership',
  EROFS: 'is on a read-only file system: choose a writable TRIBUTARY_DATA_DIR',
  ENOSPC: 'is on a file system that is full: free some space and start again',
  EDQUOT: 'is on a file system whose quota is used up: free some space and start again',
  ENOTDIR: 'has a file where a directory has to be: choose another TRIBUTARY_DATA_DIR',
}

/** The system's error code (ENOENT) or PostgreSQL's (57P03); both drivers put it into `code`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Gives file system faults words that an operator can act on; a defect of ours keeps its stack. */
export function forOperator(error: unknown, dataDir: string): unknown {
  const fault = FILE_FAULTS[errorCode(error) ?? '']
  if (fault === undefined || error instanceof EmbeddedPostgresError) return error
  const path = error instanceof Error && 'path' in error ? String(error.path) : dataDir
  return new EmbeddedPostgresError(`${path} ${fault} (${messageOf(error)}).`, { cause: error })
}
