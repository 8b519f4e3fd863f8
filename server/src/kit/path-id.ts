import { notFound } from './domain-error.ts'

/** Adds `id` to a call if its path has one. */
export type IdIn<Path extends string> = Path extends `${string}{id}${string}` ? { id: number } : object

/** An id in a path is a positive integer; anything else is a 404. */
export function idFrom(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw notFound('object')
  return Number(text)
}
