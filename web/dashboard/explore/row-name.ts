import type { Exploration, ExploredRow } from '@tributary/contract/dashboard'
import { sourceName } from '../shared/source-name.ts'
import { isTime, stepName } from './steps.ts'

/** A row by its name: a step of time, a country instead of its code, and words for what has no value. */
export function rowName({ key, label }: Pick<ExploredRow, 'key' | 'label'>, explored: Exploration): string {
  const { by } = explored
  if (isTime(by)) return stepName(key, by, explored)
  return by === 'campaign' || by === 'affiliate' ? label : sourceName(by, by === 'link' ? label : key)
}
