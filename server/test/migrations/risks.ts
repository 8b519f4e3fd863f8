import { parse } from 'libpg-query'

type Node = { [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Something in a migration that could keep requests waiting, or break the version that still runs beside it. */
export interface Risk {
  kind: 'lock' | 'outside' | 'contract'
  table: string
  what: string
}

const WHAT_TO_DO = {
  lock: 'declare "-- tributary: locks <tables>: <why it is brief>", or do it in steps',
  outside: 'belongs in a separate file that declares "-- tributary: no transaction"',
  contract: 'declare "-- tributary: not beside processes older than NNNN", the version that stopped using it',
}
const shown = ({ kind, table, what }: Risk) => `${what} on ${table}: ${WHAT_TO_DO[kind]}`

/** A default that is the same for all rows is kept beside the table; another one is written into every row. */
const isSameForAll = (expression: unknown): boolean => {
  const text = JSON.stringify(expression)
  return !/"FuncCall"/.test(text) || /"sval":"(now|current_timestamp)"/.test(text)
}

const constraintRisk = (table: string, constraint: Node): Risk[] => {
  const kind = String(constraint.contype)
  const lock = (what: string): Risk[] => [{ kind: 'lock', table, what }]
  if (kind === 'CONSTR_CHECK' || kind === 'CONSTR_FOREIGN')
    return constraint.skip_validation ? [] : lock('a constraint that is not NOT VALID reads the whole table')
  if (kind === 'CONSTR_PRIMARY' || kind === 'CONSTR_UNIQUE' || kind === 'CONSTR_EXCLUSION')
    return constraint.indexname ? [] : lock('a key without USING INDEX makes its index under lock')
  return []
}

function columnRisk(table: string, column: Node): Risk[] {
  const constraints = ((column.constraints as Node[] | undefined) ?? []).map(each => each.Constraint as Node)
  return constraints.flatMap((constraint): Risk[] => {
    const kind = String(constraint.contype)
    const lock = (what: string): Risk[] => [{ kind: 'lock', table, what }]
    if (kind === 'CONSTR_DEFAULT')
      return isSameForAll(constraint.raw_expr) ? [] : lock('a default that differs by row rewrites the table')
    if (kind === 'CONSTR_IDENTITY' || kind === 'CONSTR_GENERATED')
      return lock('such a column rewrites the table')
    if (kind === 'CONSTR_CHECK') return lock('a check on a new column reads the whole table')
    // Without a default every row is null, which refers to nothing.
    return kind === 'CONSTR_FOREIGN' ? [] : constraintRisk(table, constraint)
  })
}

function alterRisk(table: string, command: Node): Risk[] {
  const lock = (what: string): Risk[] => [{ kind: 'lock', table, what }]
  const definition = command.def as Node | undefined
  switch (command.subtype) {
    case 'AT_AddColumn':
      return columnRisk(table, definition?.ColumnDef as Node)
    case 'AT_AddConstraint':
      return constraintRisk(table, definition?.Constraint as Node)
    case 'AT_AlterColumnType':
      return lock('another type rewrites the table')
    case 'AT_SetNotNull':
      return lock('SET NOT NULL reads the whole table, unless a validated check says the same')
    case 'AT_SetLogged':
    case 'AT_SetUnLogged':
    case 'AT_SetTableSpace':
      return lock('this rewrites the table')
    case 'AT_DropColumn':
      return [{ kind: 'contract', table, what: 'DROP COLUMN' }]
    default:
      return []
  }
}

const nameOf = (relation: unknown) => (isNode(relation) ? String(relation.relname) : 'a table')

/** What is risky in one statement; tables that the file itself creates are not in use yet. */
function statementRisk(kind: string, node: Node, isNew: (table: string) => boolean): Risk[] {
  const table = nameOf(node.relation)
  if (isNew(table)) return []
  const risk = (of: Risk['kind'], what: string): Risk[] => [{ kind: of, table, what }]
  switch (kind) {
    case 'IndexStmt':
      return risk(
        node.concurrent ? 'outside' : 'lock',
        node.concurrent ? 'CONCURRENTLY' : 'CREATE INDEX without CONCURRENTLY',
      )
    case 'AlterTableStmt':
      return (node.cmds as Node[]).flatMap(each => alterRisk(table, each.AlterTableCmd as Node))
    case 'RenameStmt':
      return risk('contract', 'RENAME')
    case 'UpdateStmt':
    case 'DeleteStmt':
      return risk('lock', 'changing rows locks each of them until the end')
    case 'LockStmt':
      return (node.relations as Node[]).map(each => ({
        kind: 'lock',
        table: nameOf(each.RangeVar),
        what: 'LOCK',
      }))
    case 'TruncateStmt':
    case 'ClusterStmt':
    case 'VacuumStmt':
    case 'ReindexStmt':
      return [{ kind: 'lock', table: 'a table', what: kind.replace('Stmt', '').toUpperCase() }]
    case 'DropStmt':
      return node.concurrent
        ? [{ kind: 'outside', table: 'an index', what: 'CONCURRENTLY' }]
        : ['OBJECT_TABLE', 'OBJECT_VIEW'].includes(String(node.removeType))
          ? [{ kind: 'contract', table: 'a table', what: 'DROP TABLE' }]
          : node.removeType === 'OBJECT_INDEX'
            ? [{ kind: 'lock', table: 'an index', what: 'DROP INDEX without CONCURRENTLY' }]
            : []
    default:
      return []
  }
}

async function statementsIn(text: string): Promise<{ kind: string; node: Node }[]> {
  const { stmts = [] } = (await parse(text)) as { stmts?: { stmt: Node }[] }
  return stmts.map(({ stmt }) => {
    const [kind, node] = Object.entries(stmt)[0] as [string, Node]
    return { kind, node }
  })
}

const declaredIn = (text: string) =>
  [...text.matchAll(/^-- tributary: (.*)$/gm)].map(([, words]) => words as string)

/** The risks of a migration file that it does not declare, in words that say what to do. */
export async function undeclaredRisks(text: string): Promise<string[]> {
  const statements = await statementsIn(text)
  const made = statements.filter(({ kind }) => kind === 'CreateStmt').map(({ node }) => nameOf(node.relation))
  const declared = declaredIn(text)
  const locks = declared.flatMap(words => /^locks ([^:]*):/.exec(words)?.[1]?.split(', ') ?? [])
  const isOutside = declared.includes('no transaction')
  const isBeside = declared.some(words => words.startsWith('not beside'))
  const risks = statements.flatMap(({ kind, node }) =>
    statementRisk(kind, node, table => made.includes(table)),
  )
  const found = risks.filter(
    ({ kind, table }) =>
      !(kind === 'contract' ? isBeside : kind === 'outside' ? isOutside : locks.includes(table)),
  )
  // Each of these is found done or undone when it is met again after an interruption; nothing else is.
  const isResumable = ({ kind, node }: { kind: string; node: Node }) =>
    (kind === 'IndexStmt' && Boolean(node.concurrent)) ||
    (kind === 'DropStmt' && Boolean(node.concurrent) && Boolean(node.missing_ok)) ||
    (kind === 'InsertStmt' && (node.onConflictClause as Node | undefined)?.action === 'ONCONFLICT_NOTHING') ||
    (kind === 'AlterTableStmt' &&
      (node.cmds as Node[]).every(each => (each.AlterTableCmd as Node).subtype === 'AT_ValidateConstraint'))
  const others = isOutside ? statements.filter(statement => !isResumable(statement)) : []
  return [
    ...new Set([
      ...found.map(shown),
      ...others.map(
        ({ kind }) =>
          `${kind} in a file without a transaction: it may hold CREATE INDEX CONCURRENTLY, DROP INDEX CONCURRENTLY IF EXISTS, VALIDATE CONSTRAINT and INSERT … ON CONFLICT DO NOTHING alone`,
      ),
    ]),
  ]
}
