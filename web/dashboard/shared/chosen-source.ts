import type { ExploreSource } from '@tributary/contract/dashboard'

interface Values {
  source?: ExploreSource | undefined
  source_value?: string | undefined
}

/** The source that a page is filtered by. The two belong together, whatever the URL has. */
export const chosenSource = ({ source, source_value }: Values) =>
  source !== undefined && source_value !== undefined ? { source, source_value } : undefined
