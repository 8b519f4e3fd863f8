import { combine, type Node, type Nullable, stringsOf } from './ast.ts'
import type { Scope } from './scope.ts'

/** Functions that always give a value. */
const NEVER_NULL = new Set([
  'count',
  'row_number',
  'rank',
  'dense_rank',
  'now',
  'clock_timestamp',
  'statement_timestamp',
  'json_build_object',
  'jsonb_build_object',
  'json_build_array',
  'pg_backend_pid',
  'pg_current_snapshot',
  'nextval',
  'pg_try_advisory_xact_lock',
])
/** Functions that give null for null, and for nothing else. */
const STRICT = new Set([
  'lower',
  'upper',
  'abs',
  'date_trunc',
  'to_char',
  'length',
  'round',
  'floor',
  'encode',
  'left',
  'right',
  'replace',
  'split_part',
  'decoded_parameter',
  'day_start',
  'timezone',
  'pg_snapshot_xmax',
  'pg_snapshot_xmin',
])
/** Functions that give null for what they don't find. */
const FINDING = new Set(['substring'])
/** Null where no row was added up. */
const AGGREGATES = new Set([
  'sum',
  'min',
  'max',
  'avg',
  'json_agg',
  'jsonb_agg',
  'array_agg',
  'string_agg',
  'bool_or',
  'bool_and',
])
/** Operators that take a value out of JSON, where it may be missing. */
const JSON_OPERATORS = new Set(['->', '->>', '#>', '#>>'])

/** Whether an expression adds up rows, and so makes one row of any number. */
function isAggregated(expression: unknown): boolean {
  if (typeof expression !== 'object' || expression === null || 'SubLink' in expression) return false
  const call = (expression as Node).FuncCall as Node | undefined
  const name = stringsOf(call?.funcname).at(-1) ?? ''
  if (call && !call.over && (name === 'count' || AGGREGATES.has(name))) return true
  return Object.values(expression).some(isAggregated)
}

/** Where the expression stands: in a grouped query an aggregate has at least one row. */
export interface Place {
  isGrouped: boolean
}

/** Whether an expression can be null. */
export function expressionNullable(expression: Node, scope: Scope, place: Place): Nullable {
  const [kind, body] = Object.entries(expression)[0] as [string, Node]
  const of = (value: unknown) => expressionNullable(value as Node, scope, place)
  const list = (values: unknown) => ((values ?? []) as Node[]).map(of)
  switch (kind) {
    case 'ColumnRef':
      return scope.column(stringsOf(body.fields))?.nullable
    case 'A_Const':
      return body.isnull === true
    case 'TypeCast':
      return of(body.arg)
    case 'CoalesceExpr':
    case 'MinMaxExpr':
      return firstGiven(list(body.args))
    case 'FuncCall':
      return callNullable(body, list(body.args), place)
    case 'BoolExpr':
      // One false among them decides, so a null is not certain.
      return combine(list(body.args)) === false ? false : undefined
    case 'NullTest':
    case 'BooleanTest':
    case 'A_ArrayExpr':
    case 'RowExpr':
    case 'SQLValueFunction':
      return false
    case 'SubLink':
      if (body.subLinkType === 'EXISTS_SUBLINK' || body.subLinkType === 'ARRAY_SUBLINK') return false
      return body.subLinkType === 'EXPR_SUBLINK' ? subqueryNullable(body.subselect as Node, scope) : undefined
    case 'A_Expr':
      return operationNullable(body, of)
    case 'CaseExpr':
      return caseNullable(body, scope, place)
    default:
      return undefined
  }
}

/** The first that is not null: null where all of them are. */
function firstGiven(all: Nullable[]): Nullable {
  if (all.includes(false)) return false
  return all.every(each => each === true) ? true : undefined
}

function callNullable(
  { funcname, agg_filter, over }: Node,
  given: Nullable[],
  { isGrouped }: Place,
): Nullable {
  const name = stringsOf(funcname).at(-1) ?? ''
  if (NEVER_NULL.has(name)) return false
  if (STRICT.has(name)) return combine(given)
  if (FINDING.has(name)) return true
  if (AGGREGATES.has(name)) return agg_filter || !(isGrouped || over) ? true : combine(given.slice(0, 1))
  return undefined
}

function operationNullable({ kind, name, lexpr, rexpr }: Node, of: (value: unknown) => Nullable): Nullable {
  if (kind === 'AEXPR_DISTINCT' || kind === 'AEXPR_NOT_DISTINCT') return false
  if (kind === 'AEXPR_NULLIF') return true
  if (kind === 'AEXPR_IN') return of(lexpr)
  if (kind !== 'AEXPR_OP' || JSON_OPERATORS.has(stringsOf(name)[0] ?? '')) return undefined
  return combine([lexpr, rexpr].filter(side => side !== undefined).map(of))
}

/** Each result counts where its condition holds; without an ELSE there may be none. */
function caseNullable({ args, arg, defresult }: Node, scope: Scope, place: Place): Nullable {
  if (defresult === undefined) return true
  const results = (args as { CaseWhen: { expr: Node; result: Node } }[]).map(({ CaseWhen }) =>
    // `CASE x WHEN y` compares, and `y` alone is no condition.
    expressionNullable(CaseWhen.result, arg ? scope : scope.where(CaseWhen.expr), place),
  )
  return combine([...results, expressionNullable(defresult as Node, scope, place)])
}

/** A subquery in an expression has no row, or one: without a row it is null, unless it always makes one. */
function subqueryNullable(select: Node, scope: Scope): Nullable {
  const { groupClause, targetList, fromClause } = select.SelectStmt as Node
  const [column] = scope.columnsOf(select, scope)
  const value = ((targetList as Node[] | undefined)?.[0]?.ResTarget as Node | undefined)?.val as
    | Node
    | undefined
  const alwaysOne = groupClause === undefined && (fromClause === undefined || (value && isAggregated(value)))
  return alwaysOne ? column?.nullable : true
}
