import type { TestProject } from 'vitest/node'
import { startPostgres } from './start-postgres.ts'

/** The oldest PostgreSQL we promise to run on, from Debian's package. */
export default (project: TestProject) =>
  startPostgres(project, 'pg15', async () => '/usr/lib/postgresql/15/bin')
