import { join } from 'node:path'
import { findPackage, prepareBinaries } from '@tributary/embedded-postgres/binaries'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './start-postgres.ts'

/**
 * Most statements run a few times on a connection, so planning each of these runs would be a fifth of PostgreSQL's processor time. How a
 * statement is planned changes none of its rows; the tests on 15 and the black-box tests leave it to PostgreSQL.
 */
const PLAN_ONCE = 'plan_cache_mode=force_generic_plan'

/** The PostgreSQL that comes with the program. */
export default (project: TestProject) =>
  startPostgres(
    project,
    'pg18',
    async (home, user) => join(await prepareBinaries(await findPackage(), home, user), 'bin'),
    [PLAN_ONCE],
  )
