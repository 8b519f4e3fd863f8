import { candidateText, conversionText } from '@tributary/contract/attribution-text'
import type { ExplainedAttribution } from '@tributary/contract/dashboard'
import { texts } from './en.ts'

/** Stored texts start in lower case, and those from before reasons had codes name models as the API does. */
export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replaceAll(/\b(last|first)_click\b/g, '$1 click')}${text.endsWith('.') ? '' : '.'}`

/** Why a conversion was credited as it was. */
export const decisionText = ({ why, reason }: Pick<ExplainedAttribution, 'why' | 'reason'>) =>
  sentence(why ? conversionText(why) : reason)

/** The same in a list of unattributed conversions, where "Unattributed" would only repeat the heading. */
export const unattributedText = (attribution: Parameters<typeof decisionText>[0]) =>
  sentence(decisionText(attribution).replace(/^Unattributed: /, ''))

/** Why a candidate counts or doesn't. */
export const reasonText = ({
  why,
  reason,
}: Pick<ExplainedAttribution['candidates'][number], 'why' | 'reason'>) =>
  sentence(why ? candidateText(why) : reason)

/** The evidence behind a candidate. */
export function evidenceText({ source, click_id }: { source: string; click_id: number | null }): string {
  if (source === 'coupon') return texts.evidence.coupon
  return source === 'token' ? texts.evidence.token : texts.evidence.click(click_id)
}

/** Why a referral needs review. Flags are stored as sentences; an unknown one is shown as it is. */
export const flagText = (flag: string) =>
  Object.hasOwn(texts.flags, flag) ? texts.flags[flag as keyof typeof texts.flags] : sentence(flag)
