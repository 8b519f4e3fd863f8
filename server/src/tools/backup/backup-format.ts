/**
 * A backup is one gzip of text, readable with `gunzip -c`: a header (a line of JSON); for every table a line with its name, its rows in
 * COPY format and a line `\.`; and a trailer (a line of JSON) with the row counts and an HMAC over everything before it, keyed with the
 * installation's secret key.
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
  /** The version of the program that wrote it. */
  version: string
  created_at: string
  /** Identifies the key that the secrets in the tables were sealed with, without revealing it. */
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

/** Unambiguous: COPY escapes every backslash in a row. */
export const END_OF_TABLE = Buffer.from('\\.\n')

/** An error that an operator can act on. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export const damaged = (cause?: unknown) =>
  new BackupError('The backup is damaged or incomplete. Nothing was restored. Use another backup.', { cause })

export const cannotWrite = (cause: Error) =>
  new BackupError(`Can't write the backup: ${cause.message}`, { cause })
export const cannotRead = (cause: Error) =>
  new BackupError(`Can't read the backup: ${cause.message}`, { cause })
