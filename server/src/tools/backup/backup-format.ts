/**
 * A backup is one gzip of text, so that `gunzip -c` shows what is in it: a header (a line of JSON); for every table a line with its name,
 * its rows as COPY writes them and a line `\.`; and a trailer (a line of JSON) that tells how many rows there are and proves, by the
 * installation's secret key, that all before it is as it was written.
 */
export const FORMAT = 1

export interface BackupTable {
  name: string
  columns: string[]
}

export interface BackupPartition {
  name: string
  parent: string
  from: string
  to: string
}

export interface BackupHeader {
  tributary_backup: typeof FORMAT
  /** The version of the program that made it. */
  version: string
  created_at: string
  /** Tells whether a key is the one that the secrets in the tables were sealed with, and tells nothing of the key. */
  secret_key_check: string
  migrations: { version: number; checksum: string }[]
  tables: BackupTable[]
  partitions: BackupPartition[]
  sequences: { name: string; value: string }[]
}

export interface BackupTrailer {
  rows: Record<string, number>
  hmac_sha256: string
}

/** No row can look like this: COPY doubles every backslash in it. */
export const END_OF_TABLE = Buffer.from('\\.\n')

/** What an operator can act on. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export const damaged = (cause?: unknown) =>
  new BackupError('The backup is damaged or incomplete. Nothing was restored; use another one.', { cause })

export const cannotWrite = (cause: Error) =>
  new BackupError(`The backup cannot be written: ${cause.message}`, { cause })
export const cannotRead = (cause: Error) =>
  new BackupError(`The backup cannot be read: ${cause.message}`, { cause })
