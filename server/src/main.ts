import { commandLine } from './commands/command-line.ts'
import { SettingsError } from './config.ts'
import { indicatesPooler, isConfigurationError, isUnavailable } from './db/failures.ts'
import { MigrationError } from './db/migration-files.ts'
import { DomainError } from './kit/domain-error.ts'
import { isReaderGone } from './kit/log.ts'
import { BackupError } from './tools/backup/backup-format.ts'

/** Errors that an operator can act on are said in a sentence; anything else is a fault of ours and shows where it arose. */
function describe(error: unknown): string {
  const expected = [DomainError, SettingsError, MigrationError, BackupError]
  if (expected.some(kind => error instanceof kind)) return (error as Error).message
  if (isUnavailable(error)) return `The database cannot be reached: ${(error as Error).message}`
  if (isConfigurationError(error)) return `The database refuses us: ${(error as Error).message}`
  if (indicatesPooler(error))
    return 'The database is behind a pooler that hands connections round: set TRIBUTARY_DATABASE_POOLER=transaction.'
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// The reader of our output may stop early (`| head`, a closed terminal); the command still finishes what it does.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', error => {
    if (!isReaderGone(error)) throw error
  })

try {
  await commandLine().parseAsync()
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}
