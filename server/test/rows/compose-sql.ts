import {
  type CallExpression,
  type Expression,
  isArrowFunction,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isFunctionDeclaration,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isParameterDeclaration,
  isReturnStatement,
  isTaggedTemplateExpression,
  isVariableDeclaration,
  type Node,
  type TemplateLiteral,
} from 'typescript/unstable/ast'
import { SymbolFlags } from 'typescript/unstable/sync'
import type { Sources } from './source.ts'

/** What the parameters of a function stand for where its body is read. */
type Arguments = ReadonlyMap<string, { expression: Expression; given: Arguments }>

const NOTHING: Arguments = new Map()

/** Any condition and any order give the same columns. */
const placeholder = (before: string) => (/\b(ORDER BY|,)\s*$/i.test(before) ? '1' : 'true')

/**
 * Puts a `sql` template together as it is at run time: fragments in place, values as parameters. Conditions that depend on the call
 * (filters, a page's beginning) are `true`: they have no say in what the rows hold.
 */
export class SqlComposer {
  readonly #sources: Sources
  #parameters = 0

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** The text of the statement that an expression makes; undefined where it cannot be read from the source. */
  statement(expression: Expression): string | undefined {
    this.#parameters = 0
    return this.#text(expression, NOTHING, '')
  }

  #text(expression: Expression, given: Arguments, before: string): string | undefined {
    if (isTaggedTemplateExpression(expression)) return this.#template(expression.template, given)
    if (isConditionalExpression(expression)) return this.#text(expression.whenTrue, given, before)
    if (isIdentifier(expression)) return this.#named(expression, given, before)
    if (isCallExpression(expression)) return this.#called(expression, given, before)
    return undefined
  }

  #template(template: TemplateLiteral, given: Arguments): string | undefined {
    if (isNoSubstitutionTemplateLiteral(template)) return template.text
    let text = template.head.text
    for (const { expression, literal } of template.templateSpans) {
      const part = this.#isSql(expression) ? this.#text(expression, given, text) : `$${++this.#parameters}`
      if (part === undefined) return undefined
      text += part + literal.text
    }
    return text
  }

  #isSql(expression: Expression): boolean {
    const { checker } = this.#sources
    const type = checker.getTypeAtLocation(expression)
    return type !== undefined && /^Sql\b/.test(checker.typeToString(type))
  }

  #declaration(name: Node): Node | undefined {
    const { checker, project } = this.#sources
    const symbol = checker.getSymbolAtLocation(name)
    const original = symbol && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return original?.valueDeclaration?.resolve(project)
  }

  #named(name: Expression, given: Arguments, before: string): string | undefined {
    const declaration = this.#declaration(name)
    if (declaration === undefined) return undefined
    if (isVariableDeclaration(declaration) && declaration.initializer)
      return this.#text(declaration.initializer, given, before)
    if (isParameterDeclaration(declaration) && isIdentifier(declaration.name)) {
      const argument = given.get(declaration.name.text)
      if (argument) return this.#text(argument.expression, argument.given, before)
      if (declaration.initializer) return this.#text(declaration.initializer, NOTHING, before)
    }
    return placeholder(before)
  }

  #called(call: CallExpression, given: Arguments, before: string): string | undefined {
    if (!isIdentifier(call.expression)) return undefined
    if (call.expression.text === 'all' || call.expression.text === 'when') return placeholder(before)
    const declaration = this.#declaration(call.expression)
    const made =
      declaration && isVariableDeclaration(declaration) && declaration.initializer
        ? declaration.initializer
        : declaration
    if (!made || !(isArrowFunction(made) || isFunctionDeclaration(made))) return undefined
    const inside = new Map(
      made.parameters.flatMap(({ name }, index) => {
        const expression = call.arguments[index]
        return isIdentifier(name) && expression ? [[name.text, { expression, given }] as const] : []
      }),
    )
    const result = isArrowFunction(made) && !isBlock(made.body) ? made.body : firstReturned(made.body)
    return result && this.#text(result as Expression, inside, before)
  }
}

function firstReturned(body: Node | undefined): Expression | undefined {
  let found: Expression | undefined
  const visit = (node: Node): void => {
    if (found) return
    if (isReturnStatement(node)) found = node.expression
    else node.forEachChild(visit)
  }
  if (body) visit(body)
  return found
}
