import { type Column, type Node, type Nullable, requiredBy, stringsOf, type Tables } from './ast.ts'

interface Relation {
  columns: Column[]
  /** On the side of an outer join where a row may be missing. */
  mayBeMissing: boolean
  /** A function's rows: any column may be asked for. */
  isOpen: boolean
}

/** Reads the columns of a statement that stands inside another. */
export type ReadColumns = (statement: Node, around: Scope) => Column[]

/** The relations that a level of a statement can name, with those of the levels around it. */
export class Scope {
  /** Subqueries are statements themselves. */
  readonly columnsOf: ReadColumns
  readonly #tables: Tables
  readonly #outer: Scope | undefined
  readonly #queries = new Map<string, Column[]>()
  readonly #relations = new Map<string, Relation>()
  readonly #required = new Set<string>()

  constructor(tables: Tables, columnsOf: ReadColumns, outer?: Scope) {
    this.columnsOf = columnsOf
    this.#tables = tables
    this.#outer = outer
  }

  within(): Scope {
    return new Scope(this.#tables, this.columnsOf, this)
  }

  addQuery(name: string, columns: Column[]): void {
    this.#queries.set(name, columns)
  }

  query(name: string): Column[] | undefined {
    return this.#queries.get(name) ?? this.#outer?.query(name)
  }

  /** What stands in FROM. Returns the names that it adds. */
  addFrom(item: Node): string[] {
    const [kind, body] = Object.entries(item)[0] as [string, Node]
    if (kind === 'JoinExpr') return this.#addJoin(body)
    const alias = body.alias as { aliasname: string; colnames?: Node[] } | undefined
    const name = alias?.aliasname ?? (body.relname as string | undefined) ?? ''
    const columns = this.#columnsIn(kind, body)
    const names = stringsOf(alias?.colnames)
    this.#relations.set(name, {
      columns: (columns ?? []).map((column, index) => ({ ...column, name: names[index] ?? column.name })),
      mayBeMissing: false,
      isOpen: columns === undefined,
    })
    return [name]
  }

  #columnsIn(kind: string, body: Node): Column[] | undefined {
    if (kind === 'RangeVar')
      return this.query(body.relname as string) ?? this.#tables.get(body.relname as string)
    if (kind === 'RangeSubselect') return this.columnsOf(body.subquery as Node, this)
    return undefined
  }

  #addJoin({ jointype, larg, rarg, quals }: Node): string[] {
    const left = this.addFrom(larg as Node)
    const right = this.addFrom(rarg as Node)
    const missing = [
      ...(jointype === 'JOIN_LEFT' || jointype === 'JOIN_FULL' ? right : []),
      ...(jointype === 'JOIN_RIGHT' || jointype === 'JOIN_FULL' ? left : []),
    ]
    for (const name of missing) (this.#relations.get(name) as Relation).mayBeMissing = true
    if (jointype === 'JOIN_INNER') this.addCondition(quals as Node | undefined)
    return [...left, ...right]
  }

  /** A condition that every row fulfils: what it compares is not null. */
  addCondition(condition: Node | undefined): void {
    for (const column of requiredBy(condition)) this.#required.add(column)
  }

  /** The same where a condition holds: the branch of a CASE. */
  where(condition: Node): Scope {
    const branch = new Scope(this.#tables, this.columnsOf, this.#outer)
    for (const [name, columns] of this.#queries) branch.#queries.set(name, columns)
    for (const [name, relation] of this.#relations) branch.#relations.set(name, relation)
    for (const column of this.#required) branch.#required.add(column)
    branch.addCondition(condition)
    return branch
  }

  /** `alias.column` or `column`, as it is here; undefined where no relation is known to have it. */
  column(path: string[]): Column | undefined {
    const column = path.at(-1) as string
    const names = path.length > 1 ? [path.at(-2) as string] : [...this.#relations.keys()]
    for (const name of names) {
      const relation = this.#relations.get(name)
      const found = relation?.columns.find(each => each.name === column)
      if (relation && (found || relation.isOpen))
        return this.#seen(name, relation, found ?? { name: column, nullable: undefined })
    }
    return this.#outer?.column(path)
  }

  #seen(name: string, relation: Relation, column: Column): Column {
    return { ...column, nullable: this.#nullableIn(name, relation, column) }
  }

  #nullableIn(name: string, relation: Relation, column: Column): Nullable {
    // What a condition excludes here may be null in another statement that shares the claim.
    const isRequired = this.#required.has(`${name}.${column.name}`) || this.#required.has(column.name)
    if (isRequired) return column.nullable === false ? false : undefined
    const isThere = [...this.#required].some(each => each.startsWith(`${name}.`))
    return relation.mayBeMissing && !isThere ? true : column.nullable
  }

  /** The columns that `alias.*` or `*` stands for. */
  all(alias: string | undefined): Column[] {
    return [...this.#relations]
      .filter(([name]) => alias === undefined || name === alias)
      .flatMap(([name, relation]) => relation.columns.map(column => this.#seen(name, relation, column)))
  }
}
