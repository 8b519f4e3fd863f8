import { defineConfig } from 'vitest/config'

/** The PostgreSQL that comes with the program; `.ci/run` asks for 15 as well, the oldest that we promise to run on. */
const postgres = process.env.TEST_POSTGRES ?? '18'

/** PostgreSQL explains a statement without its values since 16. */
const NEWER = postgres === '15' ? ['server/test/{api/list-plans,indexes}.test.ts'] : []

/** Rules of the source and of single functions, which need no database: they run first, and tell within seconds. */
const UNIT = [
  'server/src/**/*.test.ts',
  'server/test/{architecture,builds,exports,markdown-links,one-pipeline,own-money,ownership,plain-words,program,security-page}.test.ts',
  'web/**/*.test.ts',
]

const project = (name: string, include: string[], exclude: string[] = [], more: object = {}) => ({
  extends: true as const,
  test: { name, include, exclude: [...exclude, '**/node_modules/**'], ...more },
})

/** Files share what they import: each has its own database, and loading the program again for each would take longer. */
const serverProject = (name: string, setup: string, include: string[], exclude: string[] = []) =>
  project(name, include, exclude, {
    isolate: false,
    globalSetup: [`server/test/${setup}.ts`],
    sequence: { groupOrder: 1 },
  })

const blackBoxProject = (name: string, include: string[], exclude: string[] = []) =>
  project(name, include, exclude, {
    isolate: false,
    globalSetup: ['e2e/support/shared-parts.ts'],
    setupFiles: ['e2e/support/after-file.ts'],
    sequence: { groupOrder: 2 },
  })

export default defineConfig({
  test: {
    // Generous: a slow machine is no finding. What hangs is still found.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['testing/seed-random-tests.ts'],
    // A third one runs while two wait for PostgreSQL, for a program that starts, or for a time-out.
    maxWorkers: 3,
    reporters: ['default', './server/test/closing-line.ts'],
    projects: [
      project('unit', UNIT, [], { isolate: false }),
      project('sdk', ['{contract,sdk}/**/*.test.ts'], [], { isolate: false }),
      serverProject(
        `server-pg${postgres}`,
        `postgres-${postgres}`,
        ['server/test/**/*.test.ts'],
        [...UNIT, ...NEWER],
      ),
      project('embedded', ['embedded-postgres/**/*.test.ts'], [], { sequence: { groupOrder: 1 } }),
      blackBoxProject('e2e', ['e2e/**/*.test.ts'], ['e2e/chaos/**']),
      // Too large for every day: only `npm run chaos` asks for them.
      ...(process.env.CHAOS === 'full' ? [blackBoxProject('chaos', ['e2e/chaos/**/*.test.ts'])] : []),
    ],
  },
})
