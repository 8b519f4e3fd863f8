import type { Exclusion, PayoutPreviewPage } from '@tributary/contract/dashboard'

type Preview = Pick<PayoutPreviewPage, 'excluded'>

/** Why affiliates get nothing and how many, the most frequent reason first. */
export const reasonsIn = ({ excluded }: Preview) =>
  (Object.entries(excluded) as [Exclusion, number][]).sort(([, a], [, b]) => b - a)

/** Which reason the address asks for, if anybody is excluded for it. */
export const reasonOf = ({ reason: wanted }: { reason?: Exclusion }, first: Preview) =>
  reasonsIn(first).find(([reason]) => reason === wanted)?.[0]
