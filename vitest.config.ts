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
      project('sdk', ['{contract,sdk}/**/*.test.ts']),
      serverProject('server-pg18', 'postgres-18', ['server/**/*.test.ts'], ['server/src/db/embedded/**']),
      // Each kind of statement once more on the oldest PostgreSQL; whatever tests a rule and not the SQL runs on the newest alone.
      ...(existsSync(postgres15)
        ? [
            serverProject(
              'server-pg15',
              'postgres-15',
              [
                'server/test/{schema-dump,sweeps,grants}.test.ts',
                'server/test/api/{lists,resources,affiliates-create,affiliates-update,commissions-update,idempotency}.test.ts',
                'server/test/ledger/{refunds,holds,statements}.test.ts',
                'server/test/payouts/{create,preview,manual,two-batches}.test.ts',
                'server/test/dashboard/{affiliates,campaigns,referrals,commissions,payouts,overview,webhooks}.test.ts',
                'server/test/delivery/{sending,outbox,redeliver,delivery-log}.test.ts',
                'server/test/tracking/{links,months,group-commit}.test.ts',
                'server/test/backup/round-trip.test.ts',
                'server/test/portal/{home,lists,joining,first-commission}.test.ts',
              ],
              [],
            ),
          ]
        : []),
      project('embedded', ['server/src/db/embedded/**/*.test.ts']),
      project('e2e', ['e2e/**/*.test.ts'], ['e2e/chaos/**']),
      // Too large for every day: only `npm run chaos` asks for them.
      ...(process.env.CHAOS === 'full' ? [project('chaos', ['e2e/chaos/**/*.test.ts'])] : []),
    ],
  },
})
