import { type Column, combine, type Node, nameOf, stringsOf, type Tables } from './ast.ts'
import { expressionNullable } from './expressions.ts'
import { jsonFields } from './json-fields.ts'
import { Scope } from './scope.ts'

/**
 * Whether each column that a statement returns can be null: by the tables' constraints, by outer joins, and by what its expressions
 * and conditions say. Undefined where that cannot be determined.
 */
export function columnsOfStatement(statement: Node, tables: Tables): Column[] {
  return columnsOf(statement, new Scope(tables, columnsOf))
}

function columnsOf(statement: Node, outer: Scope): Column[] {
  const [kind, body] = Object.entries(statement)[0] as [string, Node]
  const scope = outer.within()
  addQueries(body.withClause as Node | undefined, scope)
  if (kind === 'SelectStmt') return columnsOfSelect(body, scope)
  scope.addFrom({ RangeVar: body.relation as Node })
  for (const item of [body.fromClause, body.usingClause].flat()) if (item) scope.addFrom(item as Node)
  scope.addCondition(body.whereClause as Node | undefined)
  const returned = (body.returningClause as Node | undefined)?.exprs as Node[] | undefined
  return (returned ?? []).flatMap(target => columnsOfTarget(target, scope, { isGrouped: true }))
}

function addQueries(clause: Node | undefined, scope: Scope): void {
  for (const { CommonTableExpr } of (clause?.ctes ?? []) as { CommonTableExpr: Node }[]) {
    const { ctename, ctequery, aliascolnames } = CommonTableExpr
    const names = stringsOf(aliascolnames)
    // A query that refers to itself gives what its first part gives.
    const query = ctequery as Node
    const first = clause?.recursive
      ? ((query.SelectStmt as Node | undefined)?.larg as Node | undefined)
      : undefined
    if (first) scope.addQuery(ctename as string, columnsOf({ SelectStmt: first }, scope))
    const columns = columnsOf(query, scope)
    scope.addQuery(
      ctename as string,
      columns.map((column, index) => ({ ...column, name: names[index] ?? column.name })),
    )
  }
}

function columnsOfSelect(select: Node, scope: Scope): Column[] {
  if (select.op !== 'SETOP_NONE') {
    const left = columnsOf({ SelectStmt: select.larg }, scope)
    const right = columnsOf({ SelectStmt: select.rarg }, scope)
    return left.map(({ name, nullable }, index) => ({
      name,
      nullable: combine([nullable, right[index]?.nullable]),
    }))
  }
  if (select.valuesLists) return columnsOfValues(select.valuesLists as Node[], scope)
  for (const item of (select.fromClause ?? []) as Node[]) scope.addFrom(item)
  scope.addCondition(select.whereClause as Node | undefined)
  const isGrouped = select.groupClause !== undefined
  return ((select.targetList ?? []) as Node[]).flatMap(target =>
    columnsOfTarget(target, scope, { isGrouped }),
  )
}

function columnsOfValues(lists: Node[], scope: Scope): Column[] {
  const rows = lists.map(({ List }) => (List as Node).items as Node[])
  return (rows[0] ?? []).map((_, index) => ({
    name: `column${index + 1}`,
    nullable: combine(rows.map(row => expressionNullable(row[index] as Node, scope, { isGrouped: true }))),
  }))
}

function columnsOfTarget({ ResTarget }: Node, scope: Scope, place: { isGrouped: boolean }): Column[] {
  const { name, val } = ResTarget as { name?: string; val: Node }
  const fields = ((val.ColumnRef as Node | undefined)?.fields ?? []) as Node[]
  if (fields.at(-1)?.A_Star) return scope.all(stringsOf(fields)[0])
  return [
    {
      name: name ?? nameOf(val),
      nullable: expressionNullable(val, scope, place),
      fields: jsonFields(val, scope, place),
    },
  ]
}
