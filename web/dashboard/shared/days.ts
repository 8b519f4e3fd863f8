/** Whether it is a date of the calendar, in a year that the server takes: one that is still being typed is not. */
function exists(text: string): boolean {
  const date = new Date(`${text}Z`)
  const isNear = text > '0002' && text < '9999'
  return isNear && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** A day to filter or report by; undefined for what is none. The server reads it in the account's time zone. */
export const dayOrNone = (text: string | undefined): string | undefined =>
  text && /^\d{4}-\d\d-\d\d$/.test(text) && exists(`${text}T00:00`) ? text : undefined

/** The value of a datetime-local input; undefined for what is none. The server reads it in the account's time zone. */
export const localTimeOrNone = (text: string | undefined): string | undefined =>
  text && /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d$/.test(text) && exists(text) ? text : undefined

/** Days of creation, both inclusive, as lists take them. */
export const createdBetween = ({ from, until }: { from?: string; until?: string }) => ({
  from: dayOrNone(from),
  until: dayOrNone(until),
})

/** The value of a datetime-local input for a date, in the reader's time zone. */
export function asFieldValue(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
