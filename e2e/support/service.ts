import { type Env, type Place, type Running, startTributary } from './program.ts'
import { onCleanup, rememberDataDir } from './temporary.ts'
import { until } from './until.ts'

const LISTENING = /^Tributary is listening on (http:\/\/\S+)$/m
const READY_MS = 20_000
const STOP_MS = 15_000

export interface Service extends Running {
  url: string
  /** From the start of the process to the first answer of /readyz. */
  readyMs: number
  /** Asks the service to stop; answers with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

const started: Running[] = []

const hasEnded = ({ child }: Running) => child.exitCode !== null || child.signalCode !== null

async function stop(program: Running, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
  if (!hasEnded(program)) program.child.kill(signal)
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`${program.pid} did not stop in ${STOP_MS} ms`)), STOP_MS)
    void program.ended.finally(() => clearTimeout(timer)).catch(() => undefined)
  })
  return Promise.race([program.ended, late])
}

onCleanup(async () => {
  for (const program of started.splice(0)) {
    await stop(program, 'SIGTERM').catch(() => program.child.kill('SIGKILL'))
    await program.ended.catch(() => undefined)
  }
})

/** Waits for the line with the address and for the first good answer. */
export async function untilServing(program: Running, operatorPort?: string): Promise<Service> {
  const begin = performance.now()
  started.push(program)
  const url = await until(`the service listens (${program.pid})`, READY_MS, () => {
    if (hasEnded(program)) {
      const { stdout, stderr } = program.output
      throw new Error(`The service ended before it listened.\n${stdout}\n${stderr}`)
    }
    return LISTENING.exec(program.output.stdout)?.[1]
  })
  const readyAt = operatorPort === undefined ? url : `http://127.0.0.1:${operatorPort}`
  await until(`${url} is ready`, READY_MS, async () => (await fetch(`${readyAt}/readyz`)).ok)
  const readyMs = Math.round(performance.now() - begin)
  return { ...program, url, readyMs, stop: (signal = 'SIGTERM') => stop(program, signal) }
}

/** `tributary serve` on a free port. */
export function serve(env: Env, place?: Place): Promise<Service> {
  if (env.TRIBUTARY_DATA_DIR) rememberDataDir(env.TRIBUTARY_DATA_DIR)
  const program = startTributary(['serve'], { PORT: '0', ...env }, place)
  return untilServing(program, env.TRIBUTARY_OPERATOR_PORT)
}

/** Any other long-running command, ended with the rest. */
export function startWorker(env: Env): Running & Pick<Service, 'stop'> {
  if (env.TRIBUTARY_DATA_DIR) rememberDataDir(env.TRIBUTARY_DATA_DIR)
  const program = startTributary(['worker'], env)
  started.push(program)
  return { ...program, stop: (signal = 'SIGTERM') => stop(program, signal) }
}
