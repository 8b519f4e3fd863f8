/** The command line as it is typed; every command of it is tested in `server/src/commands/command-line.test.ts`. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Env, tributary } from './support/program.ts'
import { newDataDir } from './support/temporary.ts'

const dataDir = await newDataDir()
const env: Env = { TRIBUTARY_DATA_DIR: dataDir }

test('--help prints usage and exits with 0', async () => {
  const { code, stdout, stderr } = await tributary(['payout', 'create', '--help'], env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Usage: tributary payout create /)
})

test.each([
  ["unknown option '--colour'", ['migrate', '--colour', 'red']],
  ["unknown command 'sevre'", ['sevre']],
  ["required option '--name ", ['account', 'create']],
])('%s fails and points to --help', async (message, args) => {
  const { code, stdout, stderr } = await tributary(args, env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('(use --help for usage)')
})

test('none of these opens a database', () => {
  expect(existsSync(dataDir)).toBe(false)
})
