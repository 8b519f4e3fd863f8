/** A node of libpg-query's syntax tree. */
export type Node = { [key: string]: unknown }

/** Whether a value can be null; undefined where it cannot be determined. */
export type Nullable = boolean | undefined

export interface Column {
  name: string
  nullable: Nullable
  /** Of JSON that the statement builds: the fields of the object, or of the objects in a list. */
  fields?: Column[] | undefined
}

/** The tables of the schema with their columns. */
export type Tables = ReadonlyMap<string, Column[]>

export const stringsOf = (nodes: unknown): string[] =>
  ((nodes ?? []) as Node[]).flatMap(({ String: text }) => (text ? [(text as { sval: string }).sval] : []))

/** Null where one of them can be, not null where none can be. */
export function combine(all: Nullable[]): Nullable {
  if (all.includes(true)) return true
  return all.every(each => each === false) ? false : undefined
}

/** The name that PostgreSQL gives a column without an alias. */
export function nameOf(value: Node): string {
  const [kind, body] = Object.entries(value)[0] as [string, Node]
  if (kind === 'ColumnRef') return stringsOf(body.fields).at(-1) ?? ''
  if (kind === 'FuncCall') return stringsOf(body.funcname).at(-1) ?? ''
  if (kind === 'TypeCast') return nameOf(body.arg as Node)
  if (kind === 'CoalesceExpr') return 'coalesce'
  return '?column?'
}

/** The parts of a condition that must all hold. */
function conjuncts(condition: Node | undefined): Node[] {
  if (condition === undefined) return []
  const both = condition.BoolExpr as Node | undefined
  return both?.boolop === 'AND_EXPR' ? (both.args as Node[]).flatMap(conjuncts) : [condition]
}

const COMPARISONS = new Set(['=', '<>', '<', '>', '<=', '>='])

/** The columns that are not null wherever a condition holds, as `alias.column` or `column`. */
export function requiredBy(condition: Node | undefined): string[] {
  return conjuncts(condition).flatMap(part => {
    const test = part.NullTest as Node | undefined
    if (test?.nulltesttype === 'IS_NOT_NULL') return columnNamed(test.arg as Node)
    const compared = part.A_Expr as Node | undefined
    if (compared?.kind === 'AEXPR_IN') return columnNamed(compared.lexpr as Node)
    if (compared?.kind === 'AEXPR_OP_ANY') return columnNamed(compared.lexpr as Node)
    if (compared?.kind === 'AEXPR_OP' && COMPARISONS.has(stringsOf(compared.name)[0] ?? ''))
      return [compared.lexpr, compared.rexpr].flatMap(side => (side ? columnNamed(side as Node) : []))
    // A column that is itself the condition.
    return columnNamed(part)
  })
}

function columnNamed(value: Node): string[] {
  const fields = (value.ColumnRef as Node | undefined)?.fields
  return fields ? [stringsOf(fields).join('.')] : []
}
