import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import { sweeps } from './sweeps.ts'

const SWEEP_EVERY_MS = 10 * 60_000

export interface Background {
  /** Resolves once the work in hand is done. */
  stop(): Promise<void>
}

/** Runs the work that no request waits for. Every process may run it: each piece is safe beside itself. */
export function startBackground(db: Db, log: Logger): Background {
  let running: Promise<void> = Promise.resolve()
  const sweep = async () => {
    for (const [name, run] of Object.entries(sweeps))
      await run(db).catch(error => log.warn({ err: error, sweep: name }, 'a sweep failed and will run again'))
  }
  const timer = setInterval(() => {
    running = running.then(sweep)
  }, SWEEP_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
