/**
 * The time as an offset from the database's clock, so that all processes agree whatever their own clocks say. Tests change the offset to
 * skip days.
 */
export interface Clock {
  readonly offsetMs: number
}

export const realClock: Clock = { offsetMs: 0 }
