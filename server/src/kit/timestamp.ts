export const DAY_MS = 24 * 60 * 60 * 1000

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](?:0\d|1[0-5]):[0-5]\d)$/

/**
 * Whether a string is a valid RFC 3339 timestamp: no 30 February, no year 0, no leap second, and no offset beyond the 15:59 that
 * PostgreSQL supports.
 */
export function isTimestamp(text: string): boolean {
  const parts = RFC_3339.exec(text)
  if (!parts) return false
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const daysInMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return (
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59
  )
}
