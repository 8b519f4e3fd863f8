const HOUR_MS = 3_600_000

const hoursAhead = ((21 - new Date().getUTCHours() + 9) % 24) - 9
/** A time zone where it is between 21 and 22 o'clock: most of the day is over, and it lasts longer than a test or a benchmark. */
export const lateZone = `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`

/** The day there, some days ago. */
export const lateDay = (daysAgo = 0) =>
  new Date(Date.now() + (hoursAhead - 24 * daysAgo) * HOUR_MS).toISOString().slice(0, 10)

export const hoursAgo = hours => new Date(Date.now() - hours * HOUR_MS).toISOString()
