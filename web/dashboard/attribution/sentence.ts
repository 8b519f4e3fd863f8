import { candidateText, conversionText } from '@tributary/contract/attribution-text'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'

/** Stored texts begin in lower case, and those from before reasons had codes name models as the API does. */
export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replaceAll(/\b(last|first)_click\b/g, '$1 click')}${text.endsWith('.') ? '' : '.'}`

/** Why a conversion was credited as it was. */
export const decisionWords = ({ why, reason }: Pick<ExplainedAttribution, 'why' | 'reason'>) =>
  sentence(why ? conversionText(why) : reason)

/** The same in a list of unattributed conversions, where that goes without saying. */
export const unattributedWords = (attribution: Parameters<typeof decisionWords>[0]) =>
  sentence(decisionWords(attribution).replace(/^Unattributed: /, ''))

/** Why a candidate counts or doesn't. */
export const reasonWords = ({
  why,
  reason,
}: Pick<ExplainedAttribution['candidates'][number], 'why' | 'reason'>) =>
  sentence(why ? candidateText(why) : reason)

/** What a candidate for the credit is based on. */
export function evidence({ source, click_id }: { source: string; click_id: number | null }): string {
  if (source === 'coupon') return 'Coupon code'
  return source === 'token' ? 'Token' : `Click ${click_id}`
}
