import type { EmbeddedPostgres, Remedy } from '@tributary/embedded-postgres'
import type { Logger } from 'pino'
import { DomainError } from '../kit/domain-error.ts'

/** The package names the remedy; the settings are ours. */
const REMEDIES: Record<Remedy, string> = {
  'own-postgres': 'Set DATABASE_URL to your own PostgreSQL (15 or later) to run without the embedded one.',
  'other-data-dir': 'Set TRIBUTARY_DATA_DIR to another directory.',
}

/** Launches the embedded PostgreSQL of a data directory. Throws a DomainError for problems that an operator can fix. */
export async function launchEmbeddedDatabase(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
  // Imported lazily: not needed when DATABASE_URL is set.
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
