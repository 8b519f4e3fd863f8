import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../paths.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
  /** Whether each statement runs and commits separately, as `CREATE INDEX CONCURRENTLY` must. */
  outsideTransaction: boolean
  /** The oldest schema level whose processes may run during and after this migration; undefined for any. */
  oldestConcurrent: number | undefined
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * For files released before declarations existed. Migration 19 moved a delivery's lease into a column that earlier versions do not
 * read: running alongside a later one, they would resend deliveries that are in flight there.
 */
const RETROACTIVE = new Map([[19, 19]])

const FILE = /^(\d{4})_(.*)\.sql$/
const DECLARATION = /^-- tributary: (.*)$/gm
const OUTSIDE = 'no transaction'
const NOT_CONCURRENT = /^not beside processes older than (\d{4})$/
/** Only checked by a test; it does not change how the file runs. */
const LOCKS = /^locks [a-z_, ]+: \S/

function declarationsOf(
  file: string,
  text: string,
): Pick<Migration, 'outsideTransaction' | 'oldestConcurrent'> {
  const declared = [...text.matchAll(DECLARATION)].map(([, declaration]) => declaration as string)
  const unknown = declared.find(
    declaration => declaration !== OUTSIDE && !NOT_CONCURRENT.test(declaration) && !LOCKS.test(declaration),
  )
  if (unknown !== undefined)
    throw new MigrationError(
      `${file} declares "${unknown}". Supported declarations: "${OUTSIDE}", "not beside processes older than NNNN" and ` +
        '"locks <tables>: <why it is brief>"; see CONTRIBUTING.md.',
    )
  const version = Number(file.slice(0, 4))
  const oldest = declared
    .map(declaration => NOT_CONCURRENT.exec(declaration)?.[1])
    .find(found => found !== undefined)
  return {
    outsideTransaction: declared.includes(OUTSIDE),
    oldestConcurrent: oldest === undefined ? RETROACTIVE.get(version) : Number(oldest),
  }
}

export function readMigration(file: string, text: string): Migration {
  const [, version, name] = FILE.exec(file) as unknown as [string, string, string]
  const checksum = createHash('sha256').update(text).digest('hex')
  return { version: Number(version), name, text, checksum, ...declarationsOf(file, text) }
}

const migrationFiles = () =>
  readdirSync(migrationsFolder)
    .filter(file => FILE.test(file))
    .sort()

/** Synchronous: a start would otherwise wait for over a hundred small steps, each in its turn beside a loading program. */
export const knownMigrations = (): Migration[] =>
  migrationFiles().map(file => readMigration(file, readFileSync(join(migrationsFolder, file), 'utf8')))

/** The latest migration this version knows. Processes announce it, so that a later version can detect older ones. */
export const schemaLevel = (): number => Number(migrationFiles().at(-1)?.slice(0, 4))

export const fullName = ({ version, name }: Migration) => `${String(version).padStart(4, '0')}_${name}`

/** Throws if the database has a migration that is unknown to this version or differs from it. */
export function assertCompatible(known: Migration[], applied: { version: number; checksum: string }[]): void {
  for (const { version, checksum } of applied) {
    const migration = known.find(candidate => candidate.version === version)
    if (!migration)
      throw new MigrationError(
        `The database is newer than this version of Tributary: it has migration ${version}, and the latest one known here is ` +
          `${known.at(-1)?.version ?? 0}. Run the version that migrated it, or a later one.`,
      )
    if (migration.checksum !== checksum)
      throw new MigrationError(
        `Migration ${version} (${migration.name}) was changed after it was applied. Restore the file: ` +
          'schema changes need a new migration.',
      )
  }
}
