import type { SignalKind, SignalPart } from '@tributary/contract/dashboard'

/** What a rule found about an affiliate. */
export interface Found {
  kind: SignalKind
  affiliateId: number
  campaignId: number | null
  parts: SignalPart[]
  /** The other affiliates that it is about. */
  affiliates: number[]
  /** The size of the evidence: a decision stays until it has doubled. */
  weight: number
}

/** The sum of the parts, so that a score explains itself. */
export const scoreOf = ({ parts }: Pick<Found, 'parts'>): number =>
  Math.min(
    100,
    parts.reduce((sum, { points }) => sum + points, 0),
  )

export const part = (
  fact: SignalPart['fact'],
  points: number,
  value: number,
  { of = null, usual = null, text = null }: Partial<Pick<SignalPart, 'of' | 'usual' | 'text'>> = {},
): SignalPart => ({ fact, points: Math.round(points), value, of, usual, text })

/** Points that grow from `least` at `from` by `step` with every doubling, up to `most`. */
export const byDoubling = (
  value: number,
  { from, least, step, most }: { from: number; least: number; step: number; most: number },
): number => Math.max(0, Math.min(most, least + step * Math.log2(value / from)))
