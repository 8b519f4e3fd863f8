import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'

/** `npm run chaos` runs the same tests as `npm test`, in full size. */
export const isFull = process.env.CHAOS === 'full'

/** The size of a fault or load: small when run with other tests, full in a chaos run. */
export const sized = <T>(small: T, full: T): T => (isFull ? full : small)

/** Durations are asserted only in a chaos run: with other tests running, they measure the machine. */
export function expectWithin(tookMs: number, barMs: number): void {
  if (isFull) expect(tookMs).toBeLessThan(barMs)
}

/** The random seed, printed so that a run can be repeated: every day the same, so that a change alone can make a test fail. */
export const seed = Number(process.env.CHAOS_SEED ?? (isFull ? Date.now() % 2 ** 31 : 12))

export interface Measurement {
  /** Its row in the table of faults. */
  row: number
  what: string
  value: number | string
  bar: string
  holds: boolean
}

/** Reports a measurement in the output and in the table at the end of a chaos run. */
export function reportMeasurement(measurement: Measurement): void {
  const { row, what, value, bar, holds } = measurement
  console.info(`row ${row}: ${what} ${value} (bar ${bar})${holds ? '' : ' — DOES NOT HOLD'}`)
  const file = process.env.CHAOS_MEASUREMENTS
  if (file) appendFileSync(file, `${JSON.stringify(measurement)}\n`)
}
