import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { boundYoungGeneration } from './young-generation.ts'

const MIB = 1024 * 1024
const v8 = vi.hoisted(() => ({
  size: 0,
  flags: [] as string[],
  collect: undefined as (() => void) | undefined,
}))
vi.mock('node:v8', () => ({
  getHeapSpaceStatistics: () => [
    { space_name: 'old_space', space_size: 1e9 },
    { space_name: 'new_space', space_size: v8.size },
  ],
  setFlagsFromString: (flag: string) => v8.flags.push(flag),
}))
vi.mock('node:perf_hooks', () => ({
  PerformanceObserver: class {
    constructor(callback: () => void) {
      v8.collect = callback
    }
    observe() {}
  },
}))

beforeEach(() => {
  v8.flags.length = 0
  v8.collect = undefined
})

it('stops the growth at 8 MiB, and allows it again after V8 has shrunk it', () => {
  boundYoungGeneration()
  for (const mib of [2, 4, 8, 8, 16, 1, 4, 8]) {
    v8.size = mib * MIB
    v8.collect?.()
  }
  expect(v8.flags).toEqual([1, 2, 1].map(factor => `--semi-space-growth-factor=${factor}`))
})

it('leaves a size that the operator has set', () => {
  const { execArgv } = process
  onTestFinished(() => {
    process.execArgv = execArgv
  })
  process.execArgv = ['--enable-source-maps', '--max-semi-space-size=32']
  boundYoungGeneration()
  expect(v8.collect).toBeUndefined()
})
