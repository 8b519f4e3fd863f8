/** Sentences of the decision begin small: they were written as the rest of one, and name models as the API does. */
export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replaceAll(/\b(last|first)_click\b/g, '$1 click')}${text.endsWith('.') ? '' : '.'}`

/** What a candidate for the credit is based on. */
export function evidence({ source, click_id }: { source: string; click_id: number | null }): string {
  if (source === 'coupon') return 'Coupon code'
  return source === 'token' ? 'Token' : `Click ${click_id}`
}
