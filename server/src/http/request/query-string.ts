import type { TSchema } from 'typebox'
import { invalid } from '../../kit/domain-error.ts'

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) throw invalid('The query string', 'is not valid percent-encoded UTF-8')
    throw error
  }
}

/** Only plain decimals become numbers: `1e2`, ` 1` and `0x1` stay strings, which the schema then rejects. */
function typed(text: string, type: unknown): unknown {
  if (type === 'integer' && /^-?\d{1,16}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Parses a query string by the types in the operation's schema. Repeated parameters are rejected. */
export function parseQuery(text: string, schema: TSchema): Record<string, unknown> {
  const types = (schema as { properties?: Record<string, { type?: unknown }> }).properties ?? {}
  const query: Record<string, unknown> = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    if (name in query) throw invalid(name, 'is given more than once')
    const type = Object.hasOwn(types, name) ? types[name]?.type : undefined
    query[name] = typed(at < 0 ? '' : decode(pair.slice(at + 1)), type)
  }
  return query
}
