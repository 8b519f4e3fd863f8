const counted = (unit: string) => (count: number) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** A UTC date, such as "Dec 13, 2026". Pages show dates in the reader's locale instead. */
export const date = (time: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(time))

export const days = counted('day')
export const months = counted('month')
export const commissions = counted('commission')
