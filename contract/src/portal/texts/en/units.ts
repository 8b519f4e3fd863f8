const counted = (unit: string) => (count: number) =>
  `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`

let medium: Intl.DateTimeFormat | undefined

/** A calendar day such as 2026-12-13 as "Dec 13, 2026". Pages show dates in the reader's locale instead. */
export function date(day: string): string {
  // Kept: making it takes far longer than using it, and a statement has thousands of lines.
  medium ??= new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
  return medium.format(new Date(day))
}

export const days = counted('day')
export const months = counted('month')
export const commissions = counted('commission')
export const clicks = counted('click')
export const conversions = counted('conversion')
