import { type Column, type Node, stringsOf } from './ast.ts'
import { expressionNullable, type Place } from './expressions.ts'
import type { Scope } from './scope.ts'

const OBJECTS = new Set(['json_build_object', 'jsonb_build_object'])
const LISTS = new Set(['json_agg', 'jsonb_agg'])

/** The fields of the JSON that an expression builds: one object, or a list of them. Undefined where it builds none. */
export function jsonFields(expression: Node, scope: Scope, place: Place): Column[] | undefined {
  const [kind, body] = Object.entries(expression)[0] as [string, Node]
  const args = (body.args ?? []) as Node[]
  const of = (value: unknown) => jsonFields(value as Node, scope, place)
  switch (kind) {
    case 'FuncCall': {
      const name = stringsOf(body.funcname).at(-1) ?? ''
      if (LISTS.has(name)) return of(args[0])
      return OBJECTS.has(name) ? builtFields(args, scope, place) : undefined
    }
    case 'CoalesceExpr':
      return args.map(of).find(fields => fields !== undefined)
    case 'CaseExpr':
      return args
        .map(({ CaseWhen }) => {
          const { expr, result } = CaseWhen as { expr: Node; result: Node }
          return jsonFields(result, scope.where(expr), place)
        })
        .find(fields => fields !== undefined)
    case 'TypeCast':
      return of(body.arg)
    case 'SubLink':
      return scope.columnsOf(body.subselect as Node, scope)[0]?.fields
    case 'ColumnRef':
      return scope.column(stringsOf(body.fields))?.fields
    default:
      return undefined
  }
}

/** `'name', value, 'name', value, …` */
function builtFields(args: Node[], scope: Scope, place: Place): Column[] {
  return args.flatMap((key, index) => {
    const value = args[index + 1]
    if (index % 2 === 1 || value === undefined) return []
    const name = ((key.A_Const as Node).sval as { sval: string }).sval
    return [
      { name, nullable: expressionNullable(value, scope, place), fields: jsonFields(value, scope, place) },
    ]
  })
}
