import type { Exploration, ExploredRow, ExploreSource } from '@tributary/contract/dashboard'
import { NO_CLICK, NONE, OTHER } from '@tributary/contract/dashboard/explore-dimensions'
import { texts } from './en.ts'
import { isTime, stepName } from './steps.ts'

const regions = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' })

/** A row by its name: a step of time, a country instead of its code, and words for what has no value. */
export function rowName({ key, label }: Pick<ExploredRow, 'key' | 'label'>, explored: Exploration): string {
  const { by } = explored
  if (isTime(by)) return stepName(key, by, explored)
  return by === 'campaign' || by === 'affiliate' ? label : sourceName(by, by === 'link' ? label : key)
}

export function sourceName(by: ExploreSource, value: string): string {
  if (value === NONE) return by === 'country' || by === 'device' ? texts.values.unknown : texts.values.none
  if (value === NO_CLICK) return texts.values.noClick
  if (value === OTHER) return texts.values.other
  if (by === 'device') return texts.values.devices[value as keyof typeof texts.values.devices] ?? value
  return by === 'country' && /^[A-Z]{2}$/.test(value) ? (regions.of(value) ?? value) : value
}
