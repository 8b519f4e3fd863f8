import { invalid } from './domain-error.ts'

/** 10^12 minor units: ten billion dollars. Far more than any sale, and far less than what sums have room for. */
export const DEFAULT_LARGEST_MINOR = 1_000_000_000_000

let largestMinor = DEFAULT_LARGEST_MINOR

/** Set once, when a process has read its settings: every way in has the same limit, and none can forget it. */
export function setLargestAmount(minor: number): void {
  largestMinor = minor
}

/** Refuses an amount that is more than the installation takes, whatever its sign. */
export function assertAmount(field: string, minor: number | bigint): void {
  if (BigInt(minor) > BigInt(largestMinor) || BigInt(minor) < -BigInt(largestMinor))
    throw invalid(field, `must be at most ${largestMinor} minor units, not ${minor}`)
}
