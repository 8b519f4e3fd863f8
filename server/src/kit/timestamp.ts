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

export const DAY_PROBLEM = 'must be a date such as 2026-01-31'
export const MOMENT_PROBLEM =
  'must be an RFC 3339 timestamp such as 2026-01-31T12:00:00.000Z, or a date such as 2026-01-31'

/** Years whose days are four digits long in every time zone. */
const isNearYear = (text: string) => text.slice(0, 4) > '0001' && text.slice(0, 4) < '9999'

/** Whether a text is a calendar day that exists. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && isNearYear(text) && isTimestamp(`${text}T00:00:00Z`)

/** Whether a text is a date and time without an offset, to the minute: what a form's field holds. */
export const isLocalTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && isNearYear(text) && isTimestamp(`${text}:00Z`)

/** Whether a text is a timestamp, a day or a local time; the last two need a time zone to be resolved. */
export const isMoment = (text: string): boolean =>
  (isNearYear(text) && isTimestamp(text)) || isDay(text) || isLocalTime(text)
