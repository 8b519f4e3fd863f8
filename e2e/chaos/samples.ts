/** Ten seconds of a long run. */
export interface Sample {
  /** Since the start of the run. */
  seconds: number
  memoryMiB: number
  p50Ms: number
  p99Ms: number
  requests: number
  errors: number
}

/** The percentile of the values; 0 without any. */
export function percentile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * part) - 1] ?? 0
}

/** Memory growth per hour by a linear fit, without the first fifth, which is the warm-up. */
export function grownMiBPerHour(samples: Sample[]): number {
  const warm = samples.slice(Math.ceil(samples.length / 5))
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(warm.map(({ seconds }) => seconds)), mean(warm.map(({ memoryMiB }) => memoryMiB))]
  const above = warm.reduce((sum, { seconds, memoryMiB }) => sum + (seconds - x) * (memoryMiB - y), 0)
  const below = warm.reduce((sum, { seconds }) => sum + (seconds - x) ** 2, 0)
  return below === 0 ? 0 : (above / below) * 3600
}
