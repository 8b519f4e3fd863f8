import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { build } from 'rolldown'

/** What a process is to do, and with what. */
export interface PayoutJob {
  connection: pg.ClientConfig
  secretKey: string
  paypalUrl: string
  accountId: number
  campaignId: number
  rail: 'manual' | 'paypal'
}

/** The program that the processes run, as one file of JavaScript: made once, it starts in a moment. */
export interface PayoutProgram {
  file: string
  remove(): Promise<void>
}

export async function buildPayoutProgram(): Promise<PayoutProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-payout-'))
  const file = join(folder, 'payout-steps.mjs')
  await build({
    input: fileURLToPath(new URL('payout-steps.ts', import.meta.url)),
    platform: 'node',
    // Everything is bundled, the driver's native half excepted, which nobody uses: so it starts faster, and from any place.
    external: ['pg-native'],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'warn',
  })
  return { file, remove: () => rm(folder, { recursive: true }) }
}

export interface PayoutProcess {
  child: ChildProcess
  /** Resolves once it is at work. */
  started: Promise<void>
  /** How it ended, and everything that it wrote. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>
}

/** Runs a job in a process of its own, which ends at a step where one is named. */
export function spawnPayout(program: PayoutProgram, job: PayoutJob, failpoint?: string): PayoutProcess {
  const child = spawn(process.execPath, [program.file], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      PAYOUT_JOB: JSON.stringify(job),
      ...(failpoint ? { FAILPOINT: failpoint } : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const started = new Promise<void>((resolve, reject) => {
    const read = (line: string) => {
      lines.push(line)
      if (line === 'started') resolve()
    }
    createInterface(child.stdout).on('line', read)
    createInterface(child.stderr).on('line', read)
    child.once('exit', () => reject(new Error(`It ended before it started:\n${lines.join('\n')}`)))
  })
  started.catch(() => undefined)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, output: lines.join('\n') }))
  return { child, started, ended }
}
