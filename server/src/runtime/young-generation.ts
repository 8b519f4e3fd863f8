import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Reached while the program loads. Requests leave little behind, so more would only be garbage that is collected later. */
const LARGEST_BYTES = 8 * 1024 * 1024

const sizeInBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

/**
 * Keeps V8's young generation from growing to its default limit, four times as much, under load. V8 reads its limit only when the process
 * starts, but the growth factor each time: after a garbage collection it is set to 1 at this size, and back to V8's 2 if V8 has shrunk
 * the young generation while the service was idle. An operator's own `--max-semi-space-size` takes precedence.
 */
export function boundYoungGeneration(): void {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ')
  if (/semi[-_]space/.test(options)) return
  let factor = 2
  new PerformanceObserver(() => {
    const wanted = sizeInBytes() >= LARGEST_BYTES ? 1 : 2
    if (wanted === factor) return
    factor = wanted
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  }).observe({ entryTypes: ['gc'] })
}
