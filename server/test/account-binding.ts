import { parse } from 'libpg-query'

type Node = { [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** What a level of a statement may lean on: names that are known to hold rows of one account only. */
interface Scope {
  tenantTables: Set<string>
  bound: Set<string>
  /** Names of WITH queries: their content is checked where it is defined. */
  queries: Set<string>
  /** In a fragment, a name that it does not declare belongs to the statement around it, which is checked too. */
  isFragment: boolean
}

const kindOf = (node: Node) => Object.keys(node)[0] as string
const childrenOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : isNode(value) ? Object.values(value) : []

/** `alias.account_id` gives the alias, `account_id` alone an empty text. */
function accountColumn(value: unknown): string | undefined {
  const fields = isNode(value) && isNode(value.ColumnRef) ? (value.ColumnRef.fields as Node[]) : []
  const names = fields.map(field => (isNode(field.String) ? String(field.String.sval) : '*'))
  if (names.at(-1) !== 'account_id') return undefined
  return names.length === 1 ? '' : names.at(-2)
}

function isParameter(value: unknown): boolean {
  if (!isNode(value)) return false
  return isNode(value.TypeCast) ? isParameter(value.TypeCast.arg) : 'ParamRef' in value
}

/** The parts of a condition that must all hold. */
function conjuncts(condition: unknown): Node[] {
  if (!isNode(condition)) return []
  const { BoolExpr } = condition
  if (isNode(BoolExpr) && BoolExpr.boolop === 'AND_EXPR')
    return (BoolExpr.args as unknown[]).flatMap(conjuncts)
  return [condition]
}

interface Tables {
  /** Name in the statement and table, for each table reference at this level. */
  references: { name: string; table: string }[]
  /** Subqueries in FROM: checked separately, so their rows are bound. */
  checked: string[]
  conditions: unknown[]
}

function collectTables(from: unknown, found: Tables): void {
  if (Array.isArray(from)) for (const item of from) collectTables(item, found)
  if (!isNode(from)) return
  const { RangeVar, JoinExpr, RangeSubselect } = from
  if (isNode(RangeVar)) found.references.push(reference(RangeVar))
  if (isNode(JoinExpr)) {
    collectTables([JoinExpr.larg, JoinExpr.rarg], found)
    found.conditions.push(JoinExpr.quals)
  }
  if (isNode(RangeSubselect) && isNode(RangeSubselect.alias))
    found.checked.push(String(RangeSubselect.alias.aliasname))
}

function reference(range: Node): { name: string; table: string } {
  const alias = isNode(range.alias) ? String(range.alias.aliasname) : undefined
  return { name: alias ?? String(range.relname), table: String(range.relname) }
}

/** Which of a level's tables are tied to one account, judging by its own conditions and its context. */
function boundNames({ references, checked, conditions }: Tables, scope: Scope): Set<string> {
  const declared = new Set(references.map(({ name }) => name))
  const bound = new Set([...[...scope.bound].filter(name => !declared.has(name)), ...checked])
  for (const { name, table } of references) if (scope.queries.has(table)) bound.add(name)
  const only = references.length === 1 ? references[0]?.name : undefined
  const nameOf = (column: string | undefined) => (column === '' ? only : column)
  const equalities = conditions.flatMap(conjuncts).flatMap(({ A_Expr }) => {
    if (
      !isNode(A_Expr) ||
      A_Expr.kind !== 'AEXPR_OP' ||
      JSON.stringify(A_Expr.name) !== '[{"String":{"sval":"="}}]'
    )
      return []
    const { lexpr, rexpr } = A_Expr
    return [
      [lexpr, rexpr],
      [rexpr, lexpr],
    ] as const
  })
  for (let before = -1; before !== bound.size; ) {
    before = bound.size
    for (const [left, right] of equalities) {
      const name = nameOf(accountColumn(left))
      const other = nameOf(accountColumn(right))
      if (name === undefined) continue
      const leansOnOther =
        other !== undefined && (bound.has(other) || (scope.isFragment && !declared.has(other)))
      if (isParameter(right) || leansOnOther) bound.add(name)
    }
  }
  return bound
}

/** Looks at one SELECT, UPDATE or DELETE and then at everything inside it. */
function checkLevel(statement: Node, target: unknown, from: unknown, outer: Scope, problems: string[]): void {
  const found: Tables = { references: [], checked: [], conditions: [statement.whereClause] }
  if (isNode(target)) found.references.push(reference(target))
  collectTables(from, found)
  const scope = { ...outer, queries: withQueries(statement, outer) }
  const bound = boundNames(found, scope)
  for (const { name, table } of found.references)
    if (scope.tenantTables.has(table) && !scope.queries.has(table) && !bound.has(name))
      problems.push(`${table}${name === table ? '' : ` ${name}`} is not bound by account_id`)
  for (const child of Object.values(statement)) check(child, { ...scope, bound }, problems)
}

function withQueries(statement: Node, outer: Scope): Set<string> {
  const clause = statement.withClause as { ctes?: { CommonTableExpr: { ctename: string } }[] } | undefined
  return new Set([
    ...outer.queries,
    ...(clause?.ctes ?? []).map(({ CommonTableExpr }) => CommonTableExpr.ctename),
  ])
}

function check(node: unknown, scope: Scope, problems: string[]): void {
  if (!isNode(node)) return
  const kind = kindOf(node)
  const statement = node[kind]
  if (kind === 'InsertStmt' && isNode(statement)) {
    const { table } = reference(statement.relation as Node)
    const columns = ((statement.cols as { ResTarget: { name: string } }[]) ?? []).map(
      ({ ResTarget }) => ResTarget.name,
    )
    if (scope.tenantTables.has(table) && !columns.includes('account_id'))
      problems.push(`INSERT INTO ${table} does not name account_id`)
    const inner = { ...scope, queries: withQueries(statement, scope) }
    for (const child of Object.values(statement)) check(child, inner, problems)
  } else if (kind === 'SelectStmt' && isNode(statement))
    checkLevel(statement, undefined, statement.fromClause, scope, problems)
  else if (kind === 'UpdateStmt' && isNode(statement))
    checkLevel(statement, statement.relation, statement.fromClause, scope, problems)
  else if (kind === 'DeleteStmt' && isNode(statement))
    checkLevel(statement, statement.relation, statement.usingClause, scope, problems)
  // The two sides of a UNION stand in the tree without the name of their kind.
  else if ('op' in node && 'limitOption' in node)
    checkLevel(node, undefined, node.fromClause, scope, problems)
  else for (const child of childrenOf(node)) check(child, scope, problems)
}

/** WITH queries shared by several statements are in a separate template; each use is checked separately. */
function asWhole(statement: string): { text: string; isWhole: boolean } {
  const text = statement
    .replace(/\bWITH (\$\d+,\s*)+(?=\w+ AS (MATERIALIZED )?\()/g, 'WITH ')
    .replace(/\bWITH \$\d+(,\s*\$\d+)*\s/g, '')
    .trimStart()
  if (/^\w+ AS ((NOT )?MATERIALIZED )?\(/.test(text)) return { text: `WITH ${text} SELECT 1`, isWhole: true }
  const isWhole = /^(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE TRIGGER)\b/i.test(
    text.replace(/^\/\*.*?\*\/\s*/s, ''),
  )
  return { text: isWhole ? text : `SELECT ${text}`, isWhole }
}

/** What is wrong with a statement, or with a fragment of one, that reads or writes tables of many accounts. */
export async function unboundTables(statement: string, tenantTables: Set<string>): Promise<string[]> {
  const { text, isWhole } = asWhole(statement)
  const tree = (await parse(text)) as unknown as { stmts: { stmt: Node }[] }
  const problems: string[] = []
  const scope = { tenantTables, bound: new Set<string>(), queries: new Set<string>(), isFragment: !isWhole }
  for (const { stmt } of tree.stmts) check(stmt, scope, problems)
  return problems
}
