import { withoutHidden } from '@tributary/contract/one-line'
import { InvalidArgumentError } from 'commander'

/** An identifier or another whole number on the command line. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** Names are printed too, and a terminal obeys some of what a name may hold. */
export const printLine = (text: string): void => {
  process.stdout.write(`${withoutHidden(text)}\n`)
}
export const printJson = (value: unknown): void => printLine(JSON.stringify(value))

export const counted = (number: number, one: string, many = `${one}s`) =>
  `${number} ${number === 1 ? one : many}`
