import { invalid } from './domain-error.ts'

/** 10^12 minor units: ten billion dollars. Far more than any sale, and far below the range of sums. */
export const DEFAULT_LARGEST_MINOR = 1_000_000_000_000

let largestMinor = DEFAULT_LARGEST_MINOR

/** Set once when the settings are read, so that every entry point enforces the same limit. */
export function setLargestAmount(minor: number): void {
  largestMinor = minor
}

/** Rejects an amount above the installation's limit, whatever its sign. */
export function assertAmount(field: string, minor: number | bigint): void {
  if (BigInt(minor) > BigInt(largestMinor) || BigInt(minor) < -BigInt(largestMinor))
    throw invalid(field, `must be at most ${largestMinor} minor units, not ${minor}`)
}
