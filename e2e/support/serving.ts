import type { Running } from './program.ts'
import { until } from './until.ts'

const LISTENING = /^Tributary is listening on (http:\/\/\S+)$/m
const STOP_MS = 60_000

export interface Service extends Running {
  url: string
  /** From the start of the process to the first response of /readyz. */
  readyMs: number
  /** Stops the service; resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

const hasEnded = ({ child }: Running) => child.exitCode !== null || child.signalCode !== null

export async function stop(
  program: Running,
  signal: NodeJS.Signals,
): Promise<number | NodeJS.Signals | null> {
  if (!hasEnded(program)) program.child.kill(signal)
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${program.pid} did not stop within ${STOP_MS} ms`)),
      STOP_MS,
    )
    void program.ended.finally(() => clearTimeout(timer)).catch(() => undefined)
  })
  return Promise.race([program.ended, late])
}

/** Waits for the line with the URL and for the first successful response. */
export async function serving(program: Running, operatorPort?: string): Promise<Service> {
  const begin = performance.now()
  const url = await until(`the service listens (${program.pid})`, () => {
    if (hasEnded(program)) {
      const { stdout, stderr } = program.output
      throw new Error(`The service ended before it listened.\n${stdout}\n${stderr}`)
    }
    return LISTENING.exec(program.output.stdout)?.[1]
  })
  const readyAt = operatorPort === undefined ? url : `http://127.0.0.1:${operatorPort}`
  await until(`${url} is ready`, async () => (await fetch(`${readyAt}/readyz`)).ok)
  const readyMs = Math.round(performance.now() - begin)
  return { ...program, url, readyMs, stop: (signal = 'SIGTERM') => stop(program, signal) }
}
