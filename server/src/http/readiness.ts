import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { DomainError } from '../kit/domain-error.ts'
import { shared } from '../kit/shared.ts'

/** A database that takes longer than this counts as away: whoever asks gives up about then too. */
const ANSWER_WITHIN_MS = 2000

async function askDatabase(db: Db): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new DomainError('unavailable', 'The database does not answer.')
    timer = setTimeout(() => reject(error), ANSWER_WITHIN_MS)
  })
  const asked = db.first<{ read_only: string }>(
    sql`SELECT current_setting('transaction_read_only') AS read_only`,
  )
  const row = await Promise.race([asked, late]).finally(() => clearTimeout(timer))
  // A standby answers, and refuses every write.
  if (row?.read_only !== 'off') throw new DomainError('unavailable', 'The database takes no writes.')
}

/** Whether this process can do its work right now. */
export class Readiness {
  /** It ends soon; whoever sends requests here should send them elsewhere. */
  isDraining = false
  /** A connection ends with its answer. */
  isLettingGo = false
  /** Rejects where the database is away. Those who ask at the same time share one connection. */
  readonly check: () => Promise<void>

  constructor(db: Db) {
    this.check = shared(() => askDatabase(db))
  }
}
