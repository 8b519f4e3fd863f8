import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** A program that processes of a test run, as one file of JavaScript: made once, it starts in a moment. */
export interface Program {
  file: string
  remove(): Promise<void>
}

export async function buildProgram(source: URL): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-program-'))
  const file = join(folder, 'program.mjs')
  await build({
    input: fileURLToPath(source),
    platform: 'node',
    // Everything is bundled, except for the driver's native half, which is unused: so it starts faster, and from any directory.
    external: ['pg-native'],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'warn',
  })
  return { file, remove: () => rm(folder, { recursive: true }) }
}
