import type { Exclusion, PayoutPreviewPage } from '@tributary/contract/dashboard'

type Preview = Pick<PayoutPreviewPage, 'excluded'>

/** How many affiliates are excluded for each reason, the most frequent first. */
export const reasonsIn = ({ excluded }: Preview) =>
  (Object.entries(excluded) as [Exclusion, number][]).sort(([, a], [, b]) => b - a)

/** The reason that the URL selects, if any affiliate is excluded for it. */
export const reasonOf = ({ reason: wanted }: { reason?: Exclusion }, first: Preview) =>
  reasonsIn(first).find(([reason]) => reason === wanted)?.[0]
