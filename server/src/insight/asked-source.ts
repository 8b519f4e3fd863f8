import type { ExploreSource } from '@tributary/contract/dashboard'
import { invalid } from '../kit/domain-error.ts'
import type { Source } from './referral-source.store.ts'

/** The source that a query asks for, if it does. */
export function askedSource(query: {
  source?: ExploreSource | undefined
  source_value?: string | undefined
}): Source | undefined {
  const { source: dimension, source_value: value } = query
  if (dimension !== undefined && value !== undefined) return { dimension, value }
  if (dimension === value) return undefined
  throw invalid('source_value', 'must be given together with source')
}
