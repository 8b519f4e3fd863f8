import { Counter, Gauge, type Registry } from 'prom-client'

export interface RoutineMetrics {
  done(routine: string): void
  failed(routine: string): void
}

/** Whether the work that comes round again and again is being done, by name. */
export function createRoutineMetrics(registry: Registry, routines: string[]): RoutineMetrics {
  const runs = new Counter({
    name: 'tributary_routine_runs_total',
    help: 'Runs of background work, by what came of them',
    labelNames: ['routine', 'result'],
    registers: [registry],
  })
  const lastDone = new Gauge({
    name: 'tributary_routine_last_done_timestamp_seconds',
    help: 'When background work was last done without a failure',
    labelNames: ['routine'],
    aggregator: 'max',
    registers: [registry],
  })
  // There from the beginning, so that a first failure is seen as a rise.
  for (const routine of routines) for (const result of ['done', 'failed']) runs.inc({ routine, result }, 0)
  return {
    done(routine) {
      runs.inc({ routine, result: 'done' })
      lastDone.set({ routine }, Date.now() / 1000)
    },
    failed: routine => runs.inc({ routine, result: 'failed' }),
  }
}
