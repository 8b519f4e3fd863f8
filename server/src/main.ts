import { commandLine } from './commands/command-line.ts'
import { SettingsError } from './config.ts'
import { indicatesPooler, isConfigurationError, isUnavailable } from './db/failures.ts'
import { MigrationError } from './db/migration-files.ts'
import { DomainError } from './kit/domain-error.ts'
import { isReaderGone } from './kit/log.ts'
import { BackupError } from './tools/backup/backup-format.ts'

/** Errors that an operator can act on print as one sentence; anything else is a bug and prints its stack. */
function describe(error: unknown): string {
  const expected = [DomainError, SettingsError, MigrationError, BackupError]
  if (expected.some(kind => error instanceof kind)) return (error as Error).message
  if (isUnavailable(error)) return `Can't connect to the database: ${(error as Error).message}`
  if (isConfigurationError(error)) return `Database error: ${(error as Error).message}`
  if (indicatesPooler(error))
    return 'DATABASE_URL points to a pooler in transaction mode. Set TRIBUTARY_DATABASE_POOLER=transaction.'
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// The reader of stdout may exit early (`| head`, a closed terminal); the command still finishes its work.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', error => {
    if (!isReaderGone(error)) throw error
  })

const args = process.argv.slice(2)
commandLine(args)
  .then(line => line.parseAsync(args, { from: 'user' }))
  .catch((error: unknown) => {
    process.stderr.write(`${describe(error)}\n`)
    process.exitCode = 1
  })
