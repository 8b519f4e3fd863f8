import { join } from 'node:path'
import { findPackage, prepareBinaries } from '@tributary/embedded-postgres/binaries'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './start-postgres.ts'

/** The PostgreSQL that comes with the program. */
export default (project: TestProject) =>
  startPostgres(project, 'pg18', async (home, user) =>
    join(await prepareBinaries(await findPackage(), home, user), 'bin'),
  )
