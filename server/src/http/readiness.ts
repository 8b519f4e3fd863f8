import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { DomainError } from '../kit/domain-error.ts'
import { shared } from '../kit/shared.ts'

/** A database that takes longer counts as unavailable: health checks time out about then too. */
const RESPOND_WITHIN_MS = 2000

async function checkDatabase(db: Db): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new DomainError('unavailable', 'The database does not respond.')
    timer = setTimeout(() => reject(error), RESPOND_WITHIN_MS)
  })
  const query = db.first<{ read_only: string }>(
    sql`SELECT current_setting('transaction_read_only') AS read_only`,
  )
  const row = await Promise.race([query, late]).finally(() => clearTimeout(timer))
  // A standby responds, but rejects every write.
  if (row?.read_only !== 'off') throw new DomainError('unavailable', 'The database is read-only.')
}

/** Whether this process can serve requests. */
export class Readiness {
  /** The process is stopping; load balancers should send requests elsewhere. */
  isDraining = false
  /** Each response closes its connection. */
  isLettingGo = false
  /** Rejects if the database is unavailable. Concurrent checks share one query. */
  readonly check: () => Promise<void>

  constructor(db: Db) {
    this.check = shared(() => checkDatabase(db))
  }
}
