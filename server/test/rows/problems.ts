import pg from 'pg'
import type { Column, Nullable } from './ast.ts'
import type { ClaimedColumn, Kind } from './claims.ts'
import type { DescribedColumn } from './describe.ts'

const { builtins } = pg.types
/** What a function returns that is called for its effect, such as pg_notify. */
const VOID = 2278

/** What db/types.ts and the driver make of a type; JSON may be anything. */
const kinds = new Map<number, Kind>([
  [builtins.INT2, 'number'],
  [builtins.INT4, 'number'],
  [builtins.INT8, 'number'],
  [builtins.NUMERIC, 'number'],
  [builtins.FLOAT8, 'number'],
  [builtins.TEXT, 'string'],
  [builtins.VARCHAR, 'string'],
  [builtins.TIMESTAMPTZ, 'string'],
  [builtins.BOOL, 'boolean'],
  [builtins.BYTEA, 'object'],
])

/** Where the claim about a statement's rows differs from the rows. */
export function problemsOf(
  claimed: ReadonlyMap<string, ClaimedColumn>,
  given: DescribedColumn[],
  analysed: Column[],
): string[] {
  const names = new Set(given.map(({ name }) => name))
  const missing = [...claimed]
    .filter(([name, { isOptional }]) => !isOptional && !names.has(name))
    .map(([name]) => `${name} is claimed and not given`)
  return [
    ...missing,
    ...given.flatMap((column, index) => {
      if (column.typeOid === VOID) return []
      const claim = claimed.get(column.name)
      if (!claim) return [`${column.name} is given and not claimed`]
      const { nullable, fields } = analysed[index] ?? { nullable: undefined, fields: undefined }
      return [
        ...problemsOfColumn(column, claim, nullable),
        ...(fields && claim.fields ? problemsOfFields(claim.fields, fields, `${column.name}.`) : []),
      ]
    }),
  ]
}

/** The same for JSON that the statement builds. */
function problemsOfFields(
  claimed: ReadonlyMap<string, ClaimedColumn>,
  given: Column[],
  path: string,
): string[] {
  const names = new Set(given.map(({ name }) => name))
  return [
    ...[...claimed]
      .filter(([name, { isOptional }]) => !isOptional && !names.has(name))
      .map(([name]) => `${path}${name} is claimed and not given`),
    ...given.flatMap(({ name, nullable, fields }) => {
      const claim = claimed.get(name)
      if (!claim) return [`${path}${name} is given and not claimed`]
      return [
        ...problemsOfNull(`${path}${name}`, claim, nullable),
        ...(fields && claim.fields ? problemsOfFields(claim.fields, fields, `${path}${name}.`) : []),
      ]
    }),
  ]
}

function problemsOfColumn(
  { name, typeOid }: DescribedColumn,
  claim: ClaimedColumn,
  nullable: Nullable,
): string[] {
  const kind = kinds.get(typeOid)
  const { kinds: claimed } = claim
  return [
    ...problemsOfNull(name, claim, nullable),
    ...(kind && !claimed.has(kind) ? [`${name} is a ${kind} and claimed ${[...claimed].join(' | ')}`] : []),
  ]
}

function problemsOfNull(name: string, { isNullable }: ClaimedColumn, nullable: Nullable): string[] {
  if (nullable === true && !isNullable) return [`${name} can be null and is not claimed so`]
  return nullable === false && isNullable ? [`${name} is never null and claimed nullable`] : []
}
