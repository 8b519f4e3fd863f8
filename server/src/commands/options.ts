import { text } from 'node:stream/consumers'
import { withoutHidden } from '@tributary/contract/one-line'
import { InvalidArgumentError } from 'commander'
import { invalid } from '../kit/domain-error.ts'

/** Parses an id or another whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

/**
 * Secrets by option. One given as `-` is the next line of standard input: every process on the machine can read a command line.
 */
export async function readSecrets<T extends Record<string, string | undefined>>(given: T): Promise<T> {
  if (!Object.values(given).includes('-')) return given
  const lines = (await text(process.stdin)).split(/\r?\n/)
  const read = ([option, value]: [string, string | undefined]) => {
    const secret = value === '-' ? lines.shift() : value
    if (value === '-' && !secret) throw invalid(option, 'is missing in standard input')
    return [option, secret]
  }
  return Object.fromEntries(Object.entries(given).map(read)) as T
}

/** Strips control characters: output includes user-supplied names, and terminals act on escape sequences. */
export const printLine = (text: string): void => {
  process.stdout.write(`${withoutHidden(text)}\n`)
}
export const printJson = (value: unknown): void => printLine(JSON.stringify(value))

export const counted = (number: number, one: string, many = `${one}s`) =>
  `${number} ${number === 1 ? one : many}`
