import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { readSettings, type Settings, SettingsError } from '../config.ts'
import { type OpenDatabase, type OpenOptions, openDatabase } from '../db/open-database.ts'
import { setLargestAmount } from '../kit/largest-amount.ts'
import { createLog } from '../kit/log.ts'
import { SecretBox } from '../kit/secret-box.ts'
import { secretKeyIn } from '../kit/secret-key.ts'
import { projectRoot } from '../paths.ts'
import { hasMatchingSecretKey } from './installation/secret-key-check.ts'
import { endWith, listenForStop, type StopSignals } from './signals.ts'

export interface Context extends OpenDatabase {
  settings: Settings
  secrets: SecretBox
  log: Logger
}

/** Settings come from the environment; what it does not set may stand in `.env`. */
export function loadSettings(): Settings {
  const file = join(projectRoot, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  return readSettings(process.env)
}

/** Opens what a command needs, without touching the schema. */
export async function openContext(settings: Settings, log: Logger, options?: OpenOptions): Promise<Context> {
  const context = await launchContext(settings, log, options)
  try {
    await context.ready
    return context
  } catch (error) {
    await context.close()
    throw error
  }
}

/** The same, while the database may still be starting. */
export async function launchContext(
  settings: Settings,
  log: Logger,
  options?: OpenOptions,
): Promise<Context> {
  setLargestAmount(settings.TRIBUTARY_MAX_AMOUNT_MINOR)
  const database = await openDatabase(settings, log, options)
  // Whoever waits for it is told; until somebody does, its failure waits too.
  database.ready.catch(() => undefined)
  try {
    return { ...database, settings, secrets: new SecretBox(await secretKeyOf(settings)), log }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function secretKeyOf(settings: Settings): Promise<string> {
  const { TRIBUTARY_SECRET_KEY: key, TRIBUTARY_DATA_DIR: dataDir } = settings
  if (key !== undefined) return key
  try {
    return await secretKeyIn(dataDir)
  } catch (error) {
    throw new SettingsError(`${join(dataDir, 'secret.key')} cannot be read: ${(error as Error).message}`)
  }
}

/** Brings the schema up to date and makes sure that this process can read the secrets in it. */
export async function prepare(context: Context): Promise<string[]> {
  const applied = await context.migrate()
  if (!(await hasMatchingSecretKey(context.database, context.secrets)))
    throw new SettingsError(
      'TRIBUTARY_SECRET_KEY is not the key that the secrets in this database were encrypted with. Set it to that key' +
        ' (where it was generated, it is in secret.key of the first data directory).',
    )
  return applied
}

/**
 * Runs a command against the database, which may be in use by a running server. Only the result goes to stdout. A signal ends a
 * short command and the PostgreSQL that it has started; one that is long ends by itself when it is asked to stop.
 */
export async function withDatabase(
  run: (context: Context, signals: StopSignals) => Promise<void>,
  { isLong = false } = {},
): Promise<void> {
  const signals = listenForStop()
  const settings = loadSettings()
  // Start-up notes are for `serve`; a command speaks up only when something is wrong.
  const log = createLog(settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL, 2)
  const context = await openContext(settings, log)
  endWith(isLong ? signals.insisted : signals.asked, () => context.abandon())
  try {
    await prepare(context)
    await run(context, signals)
  } finally {
    await context.close()
  }
}
