import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../src/db/embedded/embedded-postgres.ts'
import { createTemplate } from './template-database.ts'

/** The embedded PostgreSQL, in a directory that goes when the tests end. */
export default async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log: { info: () => {}, warn: console.warn } })
  const { admin, owner, service } = postgres
  await createTemplate({ admin, owner, service })
  project.provide('postgres', { admin, owner, service })
  return async () => {
    await postgres.close()
    await rm(dataDir, { recursive: true })
  }
}
