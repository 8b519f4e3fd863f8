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
import { hasMatchingSecretKey, recordSecretKey } from './installation/secret-key-check.ts'
import { endWith, listenForStop, type StopSignals } from './signals.ts'

export interface Context extends OpenDatabase {
  settings: Settings
  secrets: SecretBox
  log: Logger
}

/** Settings come from the environment, and from `.env` for variables that it does not set. */
export function loadSettings(): Settings {
  const file = join(projectRoot, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  return readSettings(process.env)
}

/** Opens the database and secrets for a command, without migrating. */
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

/** The same, but returns while the database may still be starting. */
export async function launchContext(
  settings: Settings,
  log: Logger,
  options?: OpenOptions,
): Promise<Context> {
  setLargestAmount(settings.TRIBUTARY_MAX_AMOUNT_MINOR)
  const database = await openDatabase(settings, log, options)
  // Avoids an unhandled rejection before a caller awaits it; callers still see the error.
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
    throw new SettingsError(`Can't read ${join(dataDir, 'secret.key')}: ${(error as Error).message}`)
  }
}

/** Verifies that this process can decrypt the secrets in the database. */
export async function assertSecretKey({ database, secrets }: Context): Promise<void> {
  if (!(await hasMatchingSecretKey(database, secrets)))
    throw new SettingsError(
      'TRIBUTARY_SECRET_KEY does not match the key that this database was encrypted with. Set it to that key' +
        ' (if it was generated, it is in secret.key in the original data directory).',
    )
}

/** Migrates the schema, for a process that may encrypt secrets: the first one decides with which key. */
export async function prepare(context: Context): Promise<string[]> {
  const applied = await context.migrate()
  await recordSecretKey(context.database, context.secrets)
  await assertSecretKey(context)
  return applied
}

type Run = (context: Context, signals: StopSignals) => Promise<void>

/**
 * Runs a command without migrating. A signal ends a short command and the PostgreSQL that it started; a long-running one shuts down
 * gracefully.
 */
export async function withContext(run: Run, { isLong = false } = {}): Promise<void> {
  const signals = listenForStop()
  const settings = loadSettings()
  // Info messages are for `serve`; a command only logs warnings and errors.
  const log = createLog(settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL, 2)
  const context = await openContext(settings, log)
  endWith(isLong ? signals.forced : signals.requested, () => context.abandon())
  try {
    await run(context, signals)
  } finally {
    await context.close()
  }
}

/** Runs a command against the database, which may be in use by a running server. Only results go to stdout. */
export const withDatabase = (run: Run, options?: { isLong?: boolean }): Promise<void> =>
  withContext(async (context, signals) => {
    await prepare(context)
    await run(context, signals)
  }, options)
