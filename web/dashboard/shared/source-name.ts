import type { ExploreSource } from '@tributary/contract/dashboard'
import { NO_CLICK, NONE, OTHER } from '@tributary/contract/dashboard/explore-dimensions'
import { texts as sharedTexts } from './en.ts'

const texts = sharedTexts.sources
const regions = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' })

/** The name of a source's value: a country instead of its code, and words for what has no value. */
export function sourceName(by: ExploreSource, value: string): string {
  if (value === NONE) return by === 'country' || by === 'device' ? texts.values.unknown : texts.values.none
  if (value === NO_CLICK) return texts.values.noClick
  if (value === OTHER) return texts.values.other
  if (by === 'device') return texts.values.devices[value as keyof typeof texts.values.devices] ?? value
  return by === 'country' && /^[A-Z]{2}$/.test(value) ? (regions.of(value) ?? value) : value
}
