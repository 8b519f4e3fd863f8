import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Debian's place for PostgreSQL 15, the oldest major we promise to run on. */
const postgres15 = '/usr/lib/postgresql/15/bin'

const project = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: [...exclude, '**/node_modules/**'] },
})

/** Files share what they import: each has a database of its own, and loading the program anew for each takes longer. */
const serverProject = (name: string, setup: string, include: string[], exclude: string[]) => {
  const { test, ...rest } = project(name, include, exclude)
  return { ...rest, test: { ...test, isolate: false, globalSetup: [`server/test/${setup}.ts`] } }
}

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ['default', './server/test/closing-line.ts'],
    projects: [
      project('contract', ['{contract,sdk}/**/*.test.ts']),
      serverProject('server-pg18', 'postgres-18', ['server/**/*.test.ts'], ['server/src/db/embedded/**']),
      // What speaks SQL, once more on the oldest PostgreSQL; not what never reaches the database or mostly waits for receivers.
      ...(existsSync(postgres15)
        ? [
            serverProject(
              'server-pg15',
              'postgres-15',
              ['server/test/**/*.test.ts'],
              [
                '**/{architecture,statements,openapi,http,every-endpoint,request-*,hostile-*,crash,many-workers,delivery/isolation}.test.ts',
              ],
            ),
          ]
        : []),
      project('embedded', ['server/src/db/embedded/**/*.test.ts']),
      project('e2e', ['e2e/**/*.test.ts']),
    ],
  },
})
