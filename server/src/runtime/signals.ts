import { constants } from 'node:os'

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/**
 * A supervisor or a terminal signals the whole process group, and npm forwards what it receives: one stop arrives several times, as
 * one signal or as two different ones.
 */
const TOGETHER_MS = 2_000

export interface StopSignals {
  /** Resolves with the first signal to stop. */
  readonly requested: Promise<NodeJS.Signals>
  /** Resolves with a second, later signal: stop without waiting for the work in flight. */
  readonly forced: Promise<NodeJS.Signals>
}

/** Listens for stop signals. A third one, later still, exits immediately. */
export function listenForStop({ hangUpStops = true } = {}): StopSignals {
  const steps: ((name: NodeJS.Signals) => void)[] = []
  const step = () => new Promise<NodeJS.Signals>(resolve => steps.push(resolve))
  const signals = { requested: step(), forced: step() }
  let countedAt = Number.NEGATIVE_INFINITY
  const onSignal = (name: NodeJS.Signals) => {
    if (performance.now() - countedAt < TOGETHER_MS) return
    countedAt = performance.now()
    const next = steps.shift()
    if (next) next(name)
    else process.exit(exitCodeOf(name))
  }
  // Without a handler, SIGHUP would end a process that doesn't stop on it.
  for (const name of STOP_SIGNALS)
    process.on(name, name !== 'SIGHUP' || hangUpStops ? onSignal : () => undefined)
  return signals
}

/** The shell convention for a process ended by a signal. */
const exitCodeOf = (name: NodeJS.Signals) => 128 + constants.signals[name]

/** Exits on the signal without waiting for the work in flight, after `leave` only. */
export function endWith(signal: Promise<NodeJS.Signals>, leave: () => Promise<void>): void {
  void signal.then(async name => {
    try {
      await leave()
    } finally {
      process.exit(exitCodeOf(name))
    }
  })
}
