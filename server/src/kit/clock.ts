/**
 * What time it is, as a distance from the database's own clock. Every process thus agrees on the time, whatever its own
 * clock says; a test moves the distance and lives through days in a moment.
 */
export interface Clock {
  readonly offsetMs: number
}

export const realClock: Clock = { offsetMs: 0 }
