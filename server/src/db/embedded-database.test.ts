/** An error of the embedded PostgreSQL names the setting that fixes it. */
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { expect, test } from 'vitest'
import { DomainError } from '../kit/domain-error.ts'
import { launchEmbeddedDatabase } from './embedded-database.ts'

test('a data directory that cannot be one is refused with the setting to change', async () => {
  const belowFile = `${fileURLToPath(import.meta.url)}/data`
  const refused = await launchEmbeddedDatabase(belowFile, pino({ level: 'silent' })).catch(error => error)
  expect(refused).toBeInstanceOf(DomainError)
  expect(refused.message).toMatch(/contains a file where a directory is expected/)
  expect(refused.message).toMatch(/ Set TRIBUTARY_DATA_DIR to another directory\.$/)
})
