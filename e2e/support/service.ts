import { type Env, type Place, type Running, startTributary } from './program.ts'
import { type Service, serving, stop } from './serving.ts'
import { onCleanup, rememberDataDir } from './temporary.ts'

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

/** Any other long-running command, stopped with the rest. */
export function startWorker(env: Env): Running & Pick<Service, 'stop'> {
  if (env.TRIBUTARY_DATA_DIR) rememberDataDir(env.TRIBUTARY_DATA_DIR)
  const program = startTributary(['worker'], env)
  started.push(program)
  return { ...program, stop: (signal = 'SIGTERM') => stop(program, signal) }
}
