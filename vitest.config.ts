import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Debian's place for PostgreSQL 15, the oldest major we promise to run on. */
const postgres15 = '/usr/lib/postgresql/15/bin'

const serverTests = (name: string, setup: string) => ({
  extends: true as const,
  test: {
    name,
    include: ['server/**/*.test.ts'],
    exclude: ['server/src/db/embedded/**', '**/node_modules/**'],
    globalSetup: [`server/test/${setup}.ts`],
  },
})

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './server/test/closing-line.ts'],
    projects: [
      { extends: true, test: { name: 'contract', include: ['{contract,sdk}/**/*.test.ts'] } },
      serverTests('server-pg18', 'postgres-18'),
      ...(existsSync(postgres15) ? [serverTests('server-pg15', 'postgres-15')] : []),
      { extends: true, test: { name: 'embedded', include: ['server/src/db/embedded/**/*.test.ts'] } },
      { extends: true, test: { name: 'e2e', include: ['e2e/**/*.test.ts'] } },
    ],
  },
})
