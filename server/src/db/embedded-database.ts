import type { EmbeddedPostgres, Remedy } from '@tributary/embedded-postgres'
import type { Logger } from 'pino'
import { DomainError } from '../kit/domain-error.ts'

/** The package knows what would help, and not what our settings are called. */
const REMEDIES: Record<Remedy, string> = {
  'own-postgres':
    'Set DATABASE_URL to a PostgreSQL of your own (15 or later) to run without the embedded one.',
  'other-data-dir': 'Set TRIBUTARY_DATA_DIR to another directory.',
}

/** Launches the PostgreSQL of a data directory. What an operator can act on is thrown as an error of ours. */
export async function launchEmbeddedDatabase(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
  // Loaded here: with DATABASE_URL set nothing of it is needed.
  const { EmbeddedPostgresError, launchEmbeddedPostgres } = await import('@tributary/embedded-postgres')
  const translate = (error: unknown): never => {
    if (!(error instanceof EmbeddedPostgresError)) throw error
    const remedy = error.remedy ? ` ${REMEDIES[error.remedy]}` : ''
    throw new DomainError('unavailable', error.message + remedy, { cause: error })
  }
  const postgres = await launchEmbeddedPostgres({
    program: 'tributary',
    dataDir,
    log: { info: message => log.info(message), warn: message => log.warn(message) },
  }).catch(translate)
  return { ...postgres, ready: postgres.ready.catch(translate) }
}
