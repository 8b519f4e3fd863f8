import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type pg from 'pg'
import type { Settings } from '../config.ts'
import { withConnection } from '../db/with-connection.ts'
import { createLog } from '../kit/log.ts'
import { packageFile } from '../paths.ts'
import { type Context, loadSettings, openContext, prepare } from '../runtime/context.ts'
import { endWith, listenForStop } from '../runtime/signals.ts'
import { BackupError, cannotRead } from '../tools/backup/backup-format.ts'
import { restoreBackup } from '../tools/backup/restore-backup.ts'
import { type BackupSummary, writeBackup } from '../tools/backup/write-backup.ts'
import { writeFileWhole } from '../tools/backup/write-file.ts'
import { printChecks } from './doctor.ts'
import { counted, printLine } from './options.ts'

const STANDARD_STREAM = '-'

/** Only the owner may read how far the identifiers are, and only the owner may load what the service cannot even write. */
async function asOwner(
  name: string,
  insisted: Promise<NodeJS.Signals>,
  work: (client: pg.Client, context: Context) => Promise<void>,
): Promise<void> {
  // Without `prepare`: whoever backs up before an upgrade wants what is there, and not what the upgrade makes of it.
  const context = await openContext(loadSettings(), createLog('warn', 2))
  endWith(insisted, () => context.abandon())
  try {
    await withConnection({ ...context.ownerConnection, application_name: name }, client =>
      work(client, context),
    )
  } finally {
    await context.close()
  }
}

const contents = ({ rows, tables }: BackupSummary) => `${counted(rows, 'row')} of ${counted(tables, 'table')}`
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

const keyPlace = ({ TRIBUTARY_SECRET_KEY, TRIBUTARY_DATA_DIR }: Settings) =>
  TRIBUTARY_SECRET_KEY === undefined ? join(TRIBUTARY_DATA_DIR, 'secret.key') : 'TRIBUTARY_SECRET_KEY'

/** Lets whoever breaks it off leave nothing half done behind: no file, no PostgreSQL. */
async function interruptible(
  result: string,
  work: (signal: AbortSignal, insisted: Promise<NodeJS.Signals>) => Promise<void>,
): Promise<void> {
  const interrupted = new AbortController()
  const { asked, insisted } = listenForStop()
  void asked.then(name => interrupted.abort(new BackupError(`${name}: ${result}`)))
  try {
    await work(interrupted.signal, insisted)
  } catch (error) {
    throw interrupted.signal.aborted ? interrupted.signal.reason : error
  }
}

async function backUp(file: string, options: { force?: boolean }): Promise<void> {
  if (file === STANDARD_STREAM && process.stdout.isTTY)
    throw new BackupError('A backup is not for the eye. Name a file, or send the output somewhere.')
  const { version } = JSON.parse(await readFile(packageFile, 'utf8')) as { version: string }
  const work = (signal: AbortSignal, insisted: Promise<NodeJS.Signals>) =>
    asOwner('tributary backup', insisted, async (client, { secrets, settings }) => {
      let summary: BackupSummary | undefined
      const write = async (sink: Writable) => {
        summary = await writeBackup(client, sink, { secrets, version, signal })
      }
      if (file === STANDARD_STREAM) return write(process.stdout)
      const bytes = await writeFileWhole(file, { force: options.force ?? false }, write)
      printLine(`${file} holds ${contents(summary as unknown as BackupSummary)} (${megabytes(bytes)}).`)
      printLine(`It can be used only together with the secret key, which is not in it: ${keyPlace(settings)}`)
    })
  await interruptible('no backup was made.', work)
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
  const work = (signal: AbortSignal, insisted: Promise<NodeJS.Signals>) =>
    asOwner('tributary restore', insisted, async (client, context) => {
      // Once the last byte has been read, there is nothing left to break off.
      signal.addEventListener('abort', () => source.destroy(signal.reason))
      const summary = await restoreBackup(client, source, context.secrets)
      printLine(`${contents(summary)} are as they were at ${summary.createdAt}.`)
      for (const table of summary.leftOut)
        process.stderr.write(`The table ${table} is none of Tributary’s; it was left out.\n`)
      await prepare(context)
      await printChecks(context)
    })
  await interruptible('nothing was restored.', work).finally(() => source.destroy())
}

export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write everything to one file, while the service runs')
    .argument('<file>', 'where to; - for standard output')
    .option('--force', 'replace the file, if it is there')
    .addHelpText('after', '\nExample:\n  $ tributary backup tributary-$(date +%F).backup')
    .action(backUp)
  program
    .command('restore')
    .description('load a backup into an empty database, and check it')
    .argument('<file>', 'the backup; - for standard input')
    .addHelpText(
      'after',
      '\nExample:\n  $ TRIBUTARY_DATA_DIR=./restored tributary restore tributary-2026-01-31.backup',
    )
    .action(restore)
}
