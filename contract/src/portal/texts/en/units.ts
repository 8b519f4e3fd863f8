const counted = (unit: string) => (count: number) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** A calendar day such as 2026-12-13 as "Dec 13, 2026". Pages show dates in the reader's locale instead. */
export const date = (day: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))

export const days = counted('day')
export const months = counted('month')
export const commissions = counted('commission')
