import { Counter, Gauge, type Registry } from 'prom-client'

export interface RoutineMetrics {
  done(routine: string): void
  failed(routine: string): void
}

/** Metrics of the periodic background routines, by name. */
export function createRoutineMetrics(registry: Registry, routines: string[]): RoutineMetrics {
  const runs = new Counter({
    name: 'tributary_routine_runs_total',
    help: 'Runs of background routines, by result',
    labelNames: ['routine', 'result'],
    registers: [registry],
  })
  const lastDone = new Gauge({
    name: 'tributary_routine_last_done_timestamp_seconds',
    help: 'Time of the last successful run of a background routine',
    labelNames: ['routine'],
    aggregator: 'max',
    registers: [registry],
  })
  // Initialised to 0, so that the first failure shows as an increase.
  for (const routine of routines) for (const result of ['done', 'failed']) runs.inc({ routine, result }, 0)
  return {
    done(routine) {
      runs.inc({ routine, result: 'done' })
      lastDone.set({ routine }, Date.now() / 1000)
    },
    failed: routine => runs.inc({ routine, result: 'failed' }),
  }
}
