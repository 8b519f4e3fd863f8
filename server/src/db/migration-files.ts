import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationsFolder } from '../paths.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
  /** Whether its statements run one by one, each committed by itself, as `CREATE INDEX CONCURRENTLY` must. */
  outsideTransaction: boolean
  /** Processes that know only earlier migrations than this one may not run beside it; undefined where they may. */
  oldestBeside: number | undefined
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * Declared here because the file was released before files could say it. Migration 19 moved the lease of a delivery into a column
 * that earlier versions do not read: beside a later one they send what is in hand there once more.
 */
const DECLARED_LATER = new Map([[19, 19]])

const FILE = /^(\d{4})_(.*)\.sql$/
const DECLARATION = /^-- tributary: (.*)$/gm
const OUTSIDE = 'no transaction'
const NOT_BESIDE = /^not beside processes older than (\d{4})$/
/** For the test that reads the files; it changes nothing in how they are run. */
const LOCKS = /^locks [a-z_, ]+: \S/

function declarationsOf(file: string, text: string): Pick<Migration, 'outsideTransaction' | 'oldestBeside'> {
  const declared = [...text.matchAll(DECLARATION)].map(([, words]) => words as string)
  const unknown = declared.find(words => words !== OUTSIDE && !NOT_BESIDE.test(words) && !LOCKS.test(words))
  if (unknown !== undefined)
    throw new MigrationError(
      `${file} declares "${unknown}". Known are "${OUTSIDE}", "not beside processes older than NNNN" and ` +
        '"locks <tables>: <why it is brief>"; see CONTRIBUTING.md.',
    )
  const version = Number(file.slice(0, 4))
  const oldest = declared.map(words => NOT_BESIDE.exec(words)?.[1]).find(found => found !== undefined)
  return {
    outsideTransaction: declared.includes(OUTSIDE),
    oldestBeside: oldest === undefined ? DECLARED_LATER.get(version) : Number(oldest),
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

/** The newest migration that this program knows. Processes announce it, so that a later version can tell who runs beside it. */
export const schemaLevel = (): number => Number(migrationFiles().at(-1)?.slice(0, 4))

export const fullName = ({ version, name }: Migration) => `${String(version).padStart(4, '0')}_${name}`

/** Throws where the database has a migration that this program does not know, or knows by other words. */
export function assertCompatible(known: Migration[], applied: { version: number; checksum: string }[]): void {
  for (const { version, checksum } of applied) {
    const migration = known.find(candidate => candidate.version === version)
    if (!migration)
      throw new MigrationError(
        `The database is newer than this program: it has migration ${version}, and the newest known here is ` +
          `${known.at(-1)?.version ?? 0}. Run the version of Tributary that made it, or a later one.`,
      )
    if (migration.checksum !== checksum)
      throw new MigrationError(
        `Migration ${version} (${migration.name}) was changed after it was applied. Restore the file: ` +
          'a change of the schema is a new migration.',
      )
  }
}
