import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Debian's place for PostgreSQL 15, the oldest major we promise to run on. */
const postgres15 = '/usr/lib/postgresql/15/bin'

/** Rules of the source and of single functions, which need no database: they run first, and tell within seconds. */
const UNIT = [
  'server/src/**/*.test.ts',
  'server/test/{architecture,exports,markdown-links,security-page}.test.ts',
]
const EMBEDDED = ['server/src/db/embedded/**/*.test.ts']

const project = (name: string, include: string[], exclude: string[] = [], more: object = {}) => ({
  extends: true as const,
  test: { name, include, exclude: [...exclude, '**/node_modules/**'], ...more },
})

/** Files share what they import: each has a database of its own, and loading the program anew for each takes longer. */
const serverProject = (name: string, setup: string, include: string[], exclude: string[] = []) =>
  project(name, include, exclude, {
    isolate: false,
    globalSetup: [`server/test/${setup}.ts`],
    sequence: { groupOrder: 1 },
  })

const blackBoxProject = (name: string, include: string[], exclude: string[] = []) =>
  project(name, include, exclude, {
    globalSetup: ['e2e/support/shared-parts.ts'],
    sequence: { groupOrder: 2 },
  })

export default defineConfig({
  test: {
    // Generous: a slow machine is no finding. What hangs is still found.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // A third one runs while two wait for PostgreSQL, for a program that starts, or for a time-out.
    maxWorkers: 3,
    reporters: ['default', './server/test/closing-line.ts'],
    projects: [
      project('unit', UNIT, EMBEDDED, { isolate: false }),
      project('sdk', ['{contract,sdk}/**/*.test.ts']),
      serverProject('server-pg18', 'postgres-18', ['server/test/**/*.test.ts'], UNIT),
      // Each kind of statement once more on the oldest PostgreSQL; whatever tests a rule and not the SQL runs on the newest alone.
      ...(existsSync(postgres15)
        ? [
            serverProject('server-pg15', 'postgres-15', [
              'server/test/{schema-dump,sweeps,grants}.test.ts',
              'server/test/api/{lists,resources,affiliates-create,affiliates-update,commissions-update,idempotency}.test.ts',
              'server/test/ledger/{refunds,holds,statements}.test.ts',
              'server/test/payouts/{create,preview,manual,two-batches}.test.ts',
              'server/test/dashboard/{affiliates,campaigns,referrals,commissions,payouts,overview,webhooks}.test.ts',
              'server/test/delivery/{sending,outbox,redeliver,delivery-log}.test.ts',
              'server/test/tracking/{links,months,group-commit}.test.ts',
              'server/test/backup/round-trip.test.ts',
              'server/test/portal/{home,lists,joining,first-commission}.test.ts',
            ]),
          ]
        : []),
      project('embedded', EMBEDDED, [], { sequence: { groupOrder: 1 } }),
      blackBoxProject('e2e', ['e2e/**/*.test.ts'], ['e2e/chaos/**']),
      // Too large for every day: only `npm run chaos` asks for them.
      ...(process.env.CHAOS === 'full' ? [blackBoxProject('chaos', ['e2e/chaos/**/*.test.ts'])] : []),
    ],
  },
})
