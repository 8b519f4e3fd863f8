import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Reached while the program loads. Requests leave little behind, so more would only be garbage that is collected later. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** V8's default. */
const GROWTH_FACTOR = 2

const sizeInBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

/** Growth stops at this size, and is allowed again if V8 has shrunk the young generation while the service was idle. */
export const growthFactorAt = (bytes: number) => (bytes >= LARGEST_BYTES ? 1 : GROWTH_FACTOR)

/** An operator's own limit takes precedence. */
export const isBoundByOptions = (options: string[]) => options.some(option => /semi[-_]space/.test(option))

/**
 * Keeps V8's young generation from growing to its default limit, four times as much, under load. V8 reads its limit only when the process
 * starts, but the growth factor at each garbage collection.
 */
export function boundYoungGeneration(): void {
  if (isBoundByOptions([...process.execArgv, process.env.NODE_OPTIONS ?? ''])) return
  let factor = GROWTH_FACTOR
  new PerformanceObserver(() => {
    const wanted = growthFactorAt(sizeInBytes())
    if (wanted === factor) return
    factor = wanted
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  }).observe({ entryTypes: ['gc'] })
}
