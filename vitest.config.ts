import { defineConfig } from 'vitest/config'

/** The PostgreSQL that comes with the program; `.ci/run` asks for 15 as well, the oldest that we promise to run on. */
const postgres = process.env.TEST_POSTGRES ?? '18'

/** PostgreSQL explains a statement without its values since 16. */
const NEWER = postgres === '15' ? ['server/test/{api/list-plans,indexes}.test.ts'] : []

/**
 * The second pass of `.ci/run`, on the newest Node and the oldest PostgreSQL, leaves out the slowest files about business rules: half of its
 * time. What they decide depends on neither version, and every statement they run is checked on that PostgreSQL by `statements` and `rows`.
 * SQL plans, the order of locks, killed processes, migrations, backups, streams, HTTP, TLS and cryptography stay in.
 */
const SLOW_RULES = [
  'api/{page-walks,wrong-keys}',
  'connectors/{codes,credits,event-writer,leads,loss,order,providers,reconnected,replaced-count,self-referral,self-referral-before,self-referral-later,stripe,sync}',
  'dashboard/{campaign-status,commissions,connectors,customer-emails,explore,getting-in,listed-performance,overview,overview-time-zone,payouts,payouts-paying,referrals,roles,search,settings,sign-in,signals,webhooks}',
  'insight/{cohorts,dropped-clicks,late,open-day,roll-up,signals}',
  'ledger/{adoption,credit-manually,given-back,large-amounts,look-back,model,reassign-after,reassign-referral,repair,settled-alone,statement-days,statements,waiting-sales}',
  'mail/{digests,mail-servers,refused-mails}',
  'payouts/{carried-over,create,cut-off-zone,digest,exactly-once,item-outcomes,manual,many-items,paying-account,two-batches}',
  'portal/{branding,creatives,documents,join-forms,mails,own-domain,sent-emails,sessions,sign-in-links}',
].map(files => `server/test/${files}.test.ts`)
const LEFT_OUT = process.env.TEST_WITHOUT_SLOW_RULES ? SLOW_RULES : []

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
    // Files that haven't changed since the last run, or the last project of this one, are not transformed again.
    experimental: { fsModuleCache: true },
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
        [...UNIT, ...NEWER, ...LEFT_OUT],
      ),
      project('embedded', ['embedded-postgres/**/*.test.ts'], [], { sequence: { groupOrder: 1 } }),
      blackBoxProject('e2e', ['e2e/**/*.test.ts'], ['e2e/chaos/**']),
      // Too large for every day: only `npm run chaos` asks for them.
      ...(process.env.CHAOS === 'full' ? [blackBoxProject('chaos', ['e2e/chaos/**/*.test.ts'])] : []),
    ],
  },
})
