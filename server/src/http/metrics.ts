import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { programVersion } from '../paths.ts'

/** Metrics of the process and its database connections. */
export function createProcessMetrics(registry: Registry, database: Database): void {
  collectDefaultMetrics({ register: registry, prefix: 'tributary_' })
  new Gauge({
    name: 'tributary_build_info',
    help: 'Version of the program; the value is always 1',
    labelNames: ['version'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version: programVersion() }, 1)
  new Counter({
    name: 'tributary_database_retries_total',
    help: 'Transactions retried after a deadlock or serialization failure',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(database.retries)
    },
  })
  new Gauge({
    name: 'tributary_database_connections',
    help: 'PostgreSQL connections by state, and requests waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const pools = [...new Set([database.pool, database.planPool])]
      const sum = (count: (pool: (typeof pools)[number]) => number) =>
        pools.reduce((total, pool) => total + count(pool), 0)
      this.set(
        { state: 'busy' },
        sum(({ totalCount, idleCount }) => totalCount - idleCount),
      )
      this.set(
        { state: 'idle' },
        sum(({ idleCount }) => idleCount),
      )
      this.set(
        { state: 'waiting' },
        sum(({ waitingCount }) => waitingCount),
      )
      const { exportPool } = database
      this.set({ state: 'exporting' }, exportPool.totalCount - exportPool.idleCount)
    },
  })
}
