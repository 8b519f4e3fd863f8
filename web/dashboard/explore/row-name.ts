import type { Exploration, ExploredRow } from '@tributary/contract/dashboard'
import { texts } from './en.ts'
import { isTime, stepName } from './steps.ts'

const regions = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' })

/** A row by its name: a step of time, a country instead of its code, and words for what has no value. */
export function rowName({ key, label }: Pick<ExploredRow, 'key' | 'label'>, explored: Exploration): string {
  const { by } = explored
  if (isTime(by)) return stepName(key, by, explored)
  if (by === 'campaign' || by === 'affiliate') return label
  if (key === '(none)') return by === 'country' || by === 'device' ? texts.values.unknown : texts.values.none
  if (key === '(other)') return texts.values.other
  if (by === 'device') return texts.values.devices[key as keyof typeof texts.values.devices] ?? label
  return by === 'country' && /^[A-Z]{2}$/.test(key) ? (regions.of(key) ?? label) : label
}
