import { notFound } from '../kit/domain-error.ts'

/** An identifier in a path is a plain positive integer; anything else names nothing that exists. A path without one has 0. */
export function idFrom(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw notFound('object')
  return Number(text)
}
