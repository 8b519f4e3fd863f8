import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import { buildProgram, type Program } from '../build-program.ts'

/** What a process is to do, and with what. */
export interface PayoutJob {
  connection: pg.ClientConfig
  secretKey: string
  paypalUrl: string
  accountId: number
  campaignId: number
  rail: 'manual' | 'paypal'
}

export const buildPayoutProgram = () => buildProgram(new URL('payout-steps.ts', import.meta.url))

export interface PayoutProcess {
  child: ChildProcess
  /** Resolves once it is at work. */
  started: Promise<void>
  /** How it ended, and everything that it wrote. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>
}

/** Runs a job in a separate process, which is killed at a given step, if any. */
export function spawnPayout(program: Program, job: PayoutJob, failpoint?: string): PayoutProcess {
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
