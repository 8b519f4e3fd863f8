import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export const checkout = join(import.meta.dirname, '../..')
const launcher = 'server/bin/tributary.js'

/**
 * Empty means unset and overrides a `.env` in the checkout: neither the developer's settings nor Vitest's NODE_ENV may affect a test.
 */
const unset = {
  PORT: '',
  HOST: '',
  TRIBUTARY_PROCESSES: '',
  DATABASE_URL: '',
  NODE_ENV: '',
  LOG_LEVEL: '',
  TRIBUTARY_MIGRATION_DATABASE_URL: '',
  TRIBUTARY_DATABASE_POOLER: '',
  TRIBUTARY_BASE_URL: '',
  TRIBUTARY_DATA_DIR: '',
  TRIBUTARY_SECRET_KEY: '',
  TRIBUTARY_RATE_LIMIT_PER_MINUTE: '',
  TRIBUTARY_TRUST_PROXY: '',
  TRIBUTARY_DRAIN_DELAY_SECONDS: '',
  TRIBUTARY_WORKER_PORT: '',
  TRIBUTARY_OPERATOR_PORT: '',
  TRIBUTARY_OPERATOR_HOST: '',
  TRIBUTARY_HSTS_SECONDS: '',
  TRIBUTARY_MAX_CONNECTIONS: '',
  TRIBUTARY_PAYPAL_URL: '',
  TRIBUTARY_SMTP_URL: '',
  TRIBUTARY_MAIL_FROM: '',
  TRIBUTARY_MAX_WEBHOOK_ENDPOINTS: '',
  TRIBUTARY_WEBHOOK_ALLOW_CIDRS: '',
  TRIBUTARY_CLICK_RETENTION_DAYS: '',
  TRIBUTARY_BILLING_EVENT_RETENTION_DAYS: '',
  TRIBUTARY_DISPOSABLE_EMAIL_DOMAINS: '',
  TRIBUTARY_FX_URL: '',
}

export type Env = Record<string, string>

export interface Place {
  /** The checkout to run from. */
  root?: string
  uid?: number
  gid?: number
  /** What its standard input is: nothing, or a pipe to write to. */
  stdin?: 'ignore' | 'pipe'
  /** Makes it the leader of a separate process group, which can be signalled as a whole. */
  detached?: boolean
}

export interface Running {
  child: ChildProcess
  pid: number
  output: { stdout: string; stderr: string }
  /** The exit code, or the signal that ended it, once all output has been read. */
  ended: Promise<number | NodeJS.Signals | null>
}

const running = new Set<ChildProcess>()
// If the test run is interrupted, the programs it started are stopped.
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

export function start(
  command: string,
  args: string[],
  env: Env,
  { root = checkout, stdin = 'ignore', ...as }: Place,
): Running {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME ?? '/', ...unset, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
    ...as,
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve(code ?? signal)
    })
  })
  // A program that fails to start is reported where its exit is awaited.
  ended.catch(() => undefined)
  return { child, pid: child.pid as number, output, ended }
}

export const startTributary = (args: string[], env: Env, place: Place = {}): Running =>
  start(process.execPath, [launcher, ...args], env, place)

export interface Result {
  code: number | NodeJS.Signals | null
  stdout: string
  stderr: string
  /** From the start of the process to its end. */
  tookMs: number
}

async function finish(program: Running): Promise<Result> {
  const begin = performance.now()
  const code = await program.ended
  return { code, ...program.output, tookMs: Math.round(performance.now() - begin) }
}

/** Runs `tributary …` as a user types it, until it exits. */
export const tributary = (args: string[], env: Env, place?: Place): Promise<Result> =>
  finish(startTributary(args, env, place))

/** Runs a shell command line, as the program prints it for users to copy. */
export const shell = (line: string, env: Env): Promise<Result> =>
  finish(start('/bin/sh', ['-c', line], env, {}))

/** Like `tributary`, for setup steps that must succeed. */
export async function must(args: string[], env: Env, place?: Place): Promise<string> {
  const { code, stdout, stderr } = await tributary(args, env, place)
  if (code !== 0) throw new Error(`tributary ${args.join(' ')} exited with ${code}: ${stderr}${stdout}`)
  return stdout
}
