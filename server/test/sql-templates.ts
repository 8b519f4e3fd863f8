/** A `sql` template in a source file; interpolations are kept as source text. */
export interface Template {
  texts: string[]
  expressions: string[]
  line: number
}

/** The end of a quoted text that begins at `start`, or of a template, whose expressions may hold further ones. */
function endOfQuote(source: string, start: number): number {
  const quote = source[start]
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === quote) return at
    else if (quote === '`' && source.startsWith('${', at)) at = endOfExpression(source, at + 2)
  }
  throw new Error(`a ${quote} is never closed`)
}

/** The closing brace of an interpolated expression that begins at `start`. */
function endOfExpression(source: string, start: number): number {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const character = source[at] as string
    if ('\'"`'.includes(character)) at = endOfQuote(source, at)
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return at
  }
  throw new Error('a ${ is never closed')
}

function readTemplate(source: string, open: number): Template {
  const [texts, expressions]: [string[], string[]] = [[], []]
  let from = open + 1
  const end = endOfQuote(source, open)
  for (let at = from; at < end; at++)
    if (source.startsWith('${', at)) {
      const close = endOfExpression(source, at + 2)
      texts.push(source.slice(from, at))
      expressions.push(source.slice(at + 2, close))
      at = close
      from = close + 1
    }
  texts.push(source.slice(from, end))
  return { texts, expressions, line: source.slice(0, open).split('\n').length }
}

/** Every `sql` template of a source text, those inside the expressions of another one included. */
export function templatesIn(source: string): Template[] {
  return [...source.matchAll(/(?<![\w.])sql`/g)].map(({ index }) => readTemplate(source, index + 3))
}

/** The template as PostgreSQL can parse it: every expression is a parameter. */
export const asStatement = ({ texts }: Template) =>
  texts
    .map((text, index) => (index === 0 ? text : `$${index}${text}`))
    .join('')
    .trim()
