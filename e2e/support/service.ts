import { type Env, type Place, type Running, startTributary } from './program.ts'
import { type Service, serving, stop } from './serving.ts'
import { onCleanup, rememberDataDir } from './temporary.ts'
import { until } from './until.ts'

export type { Service } from './serving.ts'

const started: Running[] = []

onCleanup(async () => {
  for (const program of started.splice(0)) {
    await stop(program, 'SIGTERM').catch(() => program.child.kill('SIGKILL'))
    await program.ended.catch(() => undefined)
  }
})

/** Waits until a program serves, and stops it after the file's tests. */
export function untilServing(program: Running, operatorPort?: string): Promise<Service> {
  started.push(program)
  return serving(program, operatorPort)
}

/** `tributary serve` on a free port. */
export function serve(env: Env, place?: Place): Promise<Service> {
  if (env.TRIBUTARY_DATA_DIR) rememberDataDir(env.TRIBUTARY_DATA_DIR)
  const program = startTributary(['serve'], { PORT: '0', ...env }, place)
  return untilServing(program, env.TRIBUTARY_OPERATOR_PORT)
}

/** How long an attempt to connect is waited for: of several processes, the first may accept one that none of the others takes any more. */
const ATTEMPT_MS = 2_000

/** The listening socket is closed: connections attempted from now on are never accepted. */
export const untilClosed = (url: string) =>
  until('no new connection is accepted', async () => {
    try {
      const signal = AbortSignal.timeout(ATTEMPT_MS)
      await (await fetch(url, { headers: { connection: 'close' }, signal })).text()
      return false
    } catch (error) {
      return (error as Error).name !== 'TimeoutError'
    }
  })

/** Any other long-running command, stopped with the rest. */
export function startWorker(env: Env): Running & Pick<Service, 'stop'> {
  if (env.TRIBUTARY_DATA_DIR) rememberDataDir(env.TRIBUTARY_DATA_DIR)
  const program = startTributary(['worker'], env)
  started.push(program)
  return { ...program, stop: (signal = 'SIGTERM') => stop(program, signal) }
}
