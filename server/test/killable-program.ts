import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll } from 'vitest'
import { buildProgram, type Program } from './build-program.ts'
import type { Scene } from './harness.ts'

/**
 * A program on the scene's database, which kills itself at a failpoint if one is given. Returns how it ended: by its exit code, or by
 * a signal.
 */
export function useKillableProgram(source: URL, scene: Scene) {
  let program: Program
  beforeAll(async () => {
    program = await buildProgram(source)
  })
  afterAll(() => program?.remove())

  return async (failpoint?: string): Promise<number | NodeJS.Signals> => {
    // Few connections, and on a busy machine some patience to get them.
    const connection = { ...scene.database.service, max: 3, connectionTimeoutMillis: 20_000 }
    const child = spawn(process.execPath, [program.file], {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        ACCOUNT: String(scene.account.id),
        CONNECTION: JSON.stringify(connection),
        ...(failpoint && { FAILPOINT: failpoint }),
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const [code, signal] = await once(child, 'close')
    return signal ?? code
  }
}
