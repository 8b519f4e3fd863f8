/** A time zone where it is between 21 and 22 o'clock: most of the day is over, and it doesn't end during a test. */
const hoursAhead = ((21 - new Date().getUTCHours() + 9) % 24) - 9
export const lateZone = `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`

const HOUR_MS = 3_600_000
export const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
/** The day there, some days ago. */
export const lateDay = (daysAgo = 0) =>
  new Date(Date.now() + (hoursAhead - 24 * daysAgo) * HOUR_MS).toISOString().slice(0, 10)
