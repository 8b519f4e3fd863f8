import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { growthFactorAt, isBoundByOptions } from './young-generation.ts'

const MIB = 1024 * 1024

it('stops the growth at 8 MiB, and allows it again after V8 has shrunk it', () => {
  expect([2, 4, 8, 16, 1].map(mib => growthFactorAt(mib * MIB))).toEqual([2, 2, 1, 1, 2])
})

it('leaves a size that the operator has set', () => {
  expect(isBoundByOptions(['--enable-source-maps', '--max-semi-space-size=32'])).toBe(true)
  expect(isBoundByOptions(['', '--max_semi_space_size=32 --no-warnings'])).toBe(true)
  expect(isBoundByOptions(['--enable-source-maps', ''])).toBe(false)
})

it('sets an option that this version of Node.js has, also at run time', () => {
  const set = `require('node:v8').setFlagsFromString('--semi-space-growth-factor=1')`
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', set], { encoding: 'utf8' })
  // V8 prints an error for an option that it does not know.
  expect(stdout + stderr).toBe('')
})
