import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from './program.ts'
import { temporaryDirectory } from './temporary.ts'

const run = promisify(execFile)

/** Whether this checkout's history contains a commit; a shallow clone's may not. */
export const isInHistory = (commit: string) =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: checkout }).status === 0

/** Builds the program at a commit from the checkout's history, with the packages that are installed here: no network. */
export async function oldVersion(commit: string): Promise<string> {
  const root = join(await temporaryDirectory(), 'tributary')
  await run('sh', ['-c', `mkdir "$1" && git archive "$2" | tar -x -C "$1"`, 'sh', root, commit], {
    cwd: checkout,
  })
  await run('cp', ['-a', join(checkout, 'node_modules'), root])
  await run('node', ['server/bin/build.js'], { cwd: root })
  return root
}
