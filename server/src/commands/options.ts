import { withoutHidden } from '@tributary/contract/one-line'
import { InvalidArgumentError } from 'commander'

/** Parses an id or another whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

/** Strips control characters: output includes user-supplied names, and terminals act on escape sequences. */
export const printLine = (text: string): void => {
  process.stdout.write(`${withoutHidden(text)}\n`)
}
export const printJson = (value: unknown): void => printLine(JSON.stringify(value))

export const counted = (number: number, one: string, many = `${one}s`) =>
  `${number} ${number === 1 ? one : many}`
