import { notFound } from './domain-error.ts'

/** What a call gets when its path has an identifier; without one there is nothing to get. */
export type IdIn<Path extends string> = Path extends `${string}{id}${string}` ? { id: number } : object

/** An identifier in a path is a plain positive integer; anything else names nothing that exists. */
export function idFrom(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw notFound('object')
  return Number(text)
}
