import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'

/** `npm run chaos` runs the same tests as `npm test`, in full size. */
export const isFull = process.env.CHAOS === 'full'

/** How much of a fault, or of a load: little beside other tests, all of it in a run of its own. */
export const sized = <T>(small: T, full: T): T => (isFull ? full : small)

/** How long something took is held against its bar in a run of its own: beside other tests it says more of the machine. */
export function expectWithin(tookMs: number, barMs: number): void {
  if (isFull) expect(tookMs).toBeLessThan(barMs)
}

/** What chance begins with. It is printed, so that a run can be repeated. */
export const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 2 ** 31)

export interface Figure {
  /** The row of the table of faults that it belongs to. */
  row: number
  what: string
  value: number | string
  bar: string
  holds: boolean
}

/** Tells a figure that was measured: to whoever reads the output, and to the table at the end of a chaos run. */
export function tell(figure: Figure): void {
  const { row, what, value, bar, holds } = figure
  console.info(`row ${row}: ${what} ${value} (bar ${bar})${holds ? '' : ' — DOES NOT HOLD'}`)
  const file = process.env.CHAOS_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
