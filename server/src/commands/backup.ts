import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type pg from 'pg'
import type { Settings } from '../config.ts'
import { withConnection } from '../db/with-connection.ts'
import { packageFile } from '../paths.ts'
import { type Context, prepare, withContext } from '../runtime/context.ts'
import { BackupError, cannotRead } from '../tools/backup/backup-format.ts'
import { restoreBackup } from '../tools/backup/restore-backup.ts'
import { type BackupSummary, writeBackup } from '../tools/backup/write-backup.ts'
import { writeFileWhole } from '../tools/backup/write-file.ts'
import { printChecks } from './doctor.ts'
import { counted, printLine } from './options.ts'

const STANDARD_STREAM = '-'

/**
 * Connects as the owner: only the owner may read the sequences, and write tables that the service role cannot. An interrupt aborts the
 * signal, so that the work leaves no partial file and no PostgreSQL running.
 */
const asOwner = (
  name: string,
  result: string,
  work: (client: pg.Client, context: Context, signal: AbortSignal) => Promise<void>,
): Promise<void> =>
  // Not `withDatabase`: a backup taken before an upgrade must hold the old schema, not the migrated one.
  withContext(
    async (context, { requested }) => {
      const interrupted = new AbortController()
      void requested.then(name => interrupted.abort(new BackupError(`${name}: ${result}`)))
      await withConnection({ ...context.ownerConnection, application_name: name }, client =>
        work(client, context, interrupted.signal),
      )
    },
    { isLong: true },
  )

/** Says that it was interrupted, instead of what failed because of that. */
const unlessInterrupted = <T>(signal: AbortSignal, result: Promise<T>): Promise<T> =>
  result.catch(error => {
    throw signal.aborted ? signal.reason : error
  })

const contents = ({ rows, tables }: BackupSummary) => `${counted(rows, 'row')} in ${counted(tables, 'table')}`
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

const keyPlace = ({ TRIBUTARY_SECRET_KEY, TRIBUTARY_DATA_DIR }: Settings) =>
  TRIBUTARY_SECRET_KEY === undefined ? join(TRIBUTARY_DATA_DIR, 'secret.key') : 'TRIBUTARY_SECRET_KEY'

async function backUp(file: string, options: { force?: boolean }): Promise<void> {
  if (file === STANDARD_STREAM && process.stdout.isTTY)
    throw new BackupError(
      'Refusing to write a backup to the terminal. Pass a file name or redirect the output.',
    )
  const { version } = JSON.parse(await readFile(packageFile, 'utf8')) as { version: string }
  await asOwner(
    'tributary backup',
    'no backup was written.',
    async (client, { secrets, settings }, signal) => {
      let summary: BackupSummary | undefined
      const write = async (sink: Writable) => {
        summary = await writeBackup(client, sink, { secrets, version, signal })
      }
      if (file === STANDARD_STREAM) return unlessInterrupted(signal, write(process.stdout))
      const writing = writeFileWhole(file, { force: options.force ?? false }, write)
      const bytes = await unlessInterrupted(signal, writing)
      printLine(
        `Backed up ${contents(summary as unknown as BackupSummary)} to ${file} (${megabytes(bytes)}).`,
      )
      printLine(
        `Store the secret key separately; the backup can't be restored without it: ${keyPlace(settings)}`,
      )
    },
  )
}

async function opened(file: string): Promise<Readable> {
  if (file === STANDARD_STREAM) return process.stdin
  const handle = await open(file).catch(error => {
    throw cannotRead(error)
  })
  return handle.createReadStream()
}

async function restore(file: string): Promise<void> {
  const source = await opened(file)
  const restoring = asOwner('tributary restore', 'nothing was restored.', async (client, context, signal) => {
    // The signal may have come while PostgreSQL was starting.
    signal.throwIfAborted()
    // Once the last byte has been read, there is nothing left to abort.
    signal.addEventListener('abort', () => source.destroy(signal.reason))
    const summary = await unlessInterrupted(signal, restoreBackup(client, source, context.secrets))
    printLine(`Restored ${contents(summary)}, as of ${summary.createdAt}.`)
    for (const table of summary.leftOut)
      process.stderr.write(`Skipped table ${table}: it does not belong to Tributary.\n`)
    await prepare(context)
    await printChecks(context)
  })
  await restoring.finally(() => source.destroy())
}

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('Back up the whole database to one file; safe while the service runs')
    .argument('<file>', 'File to write, or - for standard output')
    .option('--force', 'Overwrite an existing file')
    .addHelpText('after', '\nExample:\n  $ tributary backup tributary-$(date +%F).backup')
    .action(backUp)
  program
    .command('restore')
    .description('Restore a backup into an empty database and verify it')
    .argument('<file>', 'Backup to read, or - for standard input')
    .addHelpText(
      'after',
      '\nExample:\n  $ TRIBUTARY_DATA_DIR=./restored tributary restore tributary-2026-01-31.backup',
    )
    .action(restore)
}
