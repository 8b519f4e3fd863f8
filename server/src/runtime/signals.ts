import { constants } from 'node:os'

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/**
 * A supervisor or a terminal signals the whole process group, and npm forwards what it gets: one request to stop arrives several
 * times, as one signal or as two different ones.
 */
const TOGETHER_MS = 2_000

export interface StopSignals {
  /** Resolves with the first signal to stop. */
  readonly asked: Promise<NodeJS.Signals>
  /** Resolves with a later one, from somebody who does not want to wait for the work in hand. */
  readonly insisted: Promise<NodeJS.Signals>
}

/** Listens for signals to stop. A third one, later still, ends the process on the spot. */
export function listenForStop({ hangUpStops = true } = {}): StopSignals {
  const steps: ((name: NodeJS.Signals) => void)[] = []
  const step = () => new Promise<NodeJS.Signals>(resolve => steps.push(resolve))
  const signals = { asked: step(), insisted: step() }
  let countedAt = Number.NEGATIVE_INFINITY
  const onSignal = (name: NodeJS.Signals) => {
    if (performance.now() - countedAt < TOGETHER_MS) return
    countedAt = performance.now()
    const next = steps.shift()
    if (next) next(name)
    else process.exit(exitCodeOf(name))
  }
  for (const name of STOP_SIGNALS) if (name !== 'SIGHUP' || hangUpStops) process.on(name, onSignal)
  return signals
}

/** What a shell says of a program that a signal ended. */
const exitCodeOf = (name: NodeJS.Signals) => 128 + constants.signals[name]

/** Ends the process with the signal, without waiting for the work in hand; `leave` is all that is done before. */
export function endWith(signal: Promise<NodeJS.Signals>, leave: () => Promise<void>): void {
  void signal.then(async name => {
    try {
      await leave()
    } finally {
      process.exit(exitCodeOf(name))
    }
  })
}
