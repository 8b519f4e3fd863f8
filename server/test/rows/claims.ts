import {
  type CallExpression,
  isCallExpression,
  isPropertyAccessExpression,
  type Node,
} from 'typescript/unstable/ast'
import {
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
  type UnionType,
} from 'typescript/unstable/sync'
import { SqlComposer } from './compose-sql.ts'
import { openSources, placeOf, type Sources } from './source.ts'

/** What a value is in the program, as far as the driver decides it. */
export type Kind = 'string' | 'number' | 'boolean' | 'object'

export interface ClaimedColumn {
  kinds: Set<Kind>
  isNullable: boolean
  isOptional: boolean
  /** Of an object, or of the objects in a list: what is claimed of their fields. */
  fields?: Map<string, ClaimedColumn> | undefined
}

/** A call of the database: its statement, and what the source says about its rows. */
export interface Claim {
  at: string
  /** Undefined where the statement cannot be put together from the source. */
  text: string | undefined
  /** Undefined where nothing is said: no row is read. */
  columns: Map<string, ClaimedColumn> | undefined
}

const READS = ['many', 'first', 'stream']

/** Every call of the service's code that reads rows. */
export const readClaims = (): Claim[] =>
  readCalls(READS, (sources, call, { at, text }) => ({ at, text, columns: columnsOf(sources, call) }))

/** Every statement of the service's code, including those whose result is not needed. */
export const readStatements = (): Pick<Claim, 'at' | 'text'>[] =>
  readCalls([...READS, 'send'], (_sources, _call, statement) => statement)

function readCalls<T>(
  methods: string[],
  read: (sources: Sources, call: CallExpression, statement: Pick<Claim, 'at' | 'text'>) => T,
): T[] {
  const sources = openSources()
  try {
    const composer = new SqlComposer(sources)
    return sources.files.flatMap(file => {
      const found: T[] = []
      const visit = (node: Node): void => {
        const statement =
          isCallExpression(node) && isQuery(sources, node, methods) ? node.arguments[0] : undefined
        if (statement)
          found.push(
            read(sources, node as CallExpression, {
              at: placeOf(node, file),
              text: composer.statement(statement),
            }),
          )
        node.forEachChild(visit)
      }
      visit(file)
      return found
    })
  } finally {
    sources.close()
  }
}

/** Outside `db/`, whose own calls pass on what they are given. */
function isQuery({ checker }: Sources, { expression }: CallExpression, methods: string[]): boolean {
  if (!isPropertyAccessExpression(expression) || !methods.includes(expression.name.text)) return false
  const type = checker.getTypeAtLocation(expression.expression)
  return type !== undefined && /^(Db|Tx|Database)$/.test(checker.typeToString(type))
}

function columnsOf(sources: Sources, call: CallExpression): Claim['columns'] {
  const row = rowType(sources, call)
  return row === undefined || row.flags & TypeFlags.Unknown ? undefined : fieldsOf(sources, row, 0)
}

/** As deep as the JSON of any statement. */
const DEEPEST = 3

function fieldsOf(sources: Sources, row: Type, depth: number): Map<string, ClaimedColumn> {
  const { checker } = sources
  return new Map(
    checker.getPropertiesOfType(row).map(property => {
      const type = checker.getTypeOfSymbol(property) as Type
      const members = membersOf(type)
      return [
        property.name,
        {
          kinds: new Set(members.flatMap(kindOf)),
          isNullable: members.some(({ flags }) => flags & TypeFlags.Null),
          isOptional: (property.flags & SymbolFlags.Optional) !== 0,
          fields: depth < DEEPEST ? nestedFields(sources, members, depth + 1) : undefined,
        },
      ]
    }),
  )
}

/** The fields of an object or of a list's objects; not of what the driver itself makes, such as a Buffer. */
function nestedFields({ checker, ...rest }: Sources, members: readonly Type[], depth: number) {
  const [type] = members.filter(({ flags }) => !(flags & TypeFlags.Null))
  const item = type && checker.isArrayType(type) ? checker.getTypeArguments(type as TypeReference)[0] : type
  const isPlain = item && item.flags & TypeFlags.Object && !/^Buffer/.test(checker.typeToString(item))
  return isPlain ? fieldsOf({ checker, ...rest }, item, depth) : undefined
}

/** `Promise<Row[]>`, `Promise<Row | undefined>` or `AsyncGenerator<Row[]>`, as the call's context has decided it. */
function rowType({ checker }: Sources, call: CallExpression): Type | undefined {
  const signature = checker.getResolvedSignature(call)
  const returned = signature && checker.getReturnTypeOfSignature(signature)
  const held = returned && checker.getTypeArguments(returned as TypeReference)[0]
  if (held === undefined) return undefined
  if (checker.isArrayType(held)) return checker.getTypeArguments(held as TypeReference)[0]
  if (held.flags & TypeFlags.Unknown) return held
  return checker.getNonNullableType(held)
}

const membersOf = (type: Type): readonly Type[] =>
  type.flags & TypeFlags.Union ? (type as UnionType).getTypes() : [type]

function kindOf({ flags }: Type): Kind[] {
  if (flags & TypeFlags.StringLike) return ['string']
  if (flags & TypeFlags.NumberLike) return ['number']
  if (flags & TypeFlags.BooleanLike) return ['boolean']
  if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return ['object']
  // Unknown and any may be all of it.
  return flags & TypeFlags.AnyOrUnknown ? ['string', 'number', 'boolean', 'object'] : []
}
