/** How a language writes values. */
export interface Style {
  readonly object: readonly [open: string, close: string]
  readonly array: readonly [open: string, close: string]
  readonly indent: string
  readonly key: (name: string) => string
  readonly string: (text: string) => string
  readonly words: { readonly true: string; readonly false: string; readonly null: string }
}

const singleQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
/** A name that needs no quotes in the languages below. */
const isName = (text: string) => /^[a-z_][a-z0-9_]*$/i.test(text)

export const typescript: Style = {
  object: ['{', '}'],
  array: ['[', ']'],
  indent: '  ',
  key: name => `${isName(name) ? name : singleQuoted(name)}: `,
  string: singleQuoted,
  words: { true: 'true', false: 'false', null: 'null' },
}

export const python: Style = {
  object: ['{', '}'],
  array: ['[', ']'],
  indent: '    ',
  key: name => `${JSON.stringify(name)}: `,
  // What JSON escapes, Python escapes in the same way.
  string: text => JSON.stringify(text),
  words: { true: 'True', false: 'False', null: 'None' },
}

export const php: Style = {
  object: ['[', ']'],
  array: ['[', ']'],
  indent: '    ',
  key: name => `${singleQuoted(name)} => `,
  string: singleQuoted,
  words: { true: 'true', false: 'false', null: 'null' },
}

export const ruby: Style = {
  object: ['{', '}'],
  array: ['[', ']'],
  indent: '  ',
  key: name => (isName(name) ? `${name}: ` : `${singleQuoted(name)} => `),
  string: singleQuoted,
  words: { true: 'true', false: 'false', null: 'nil' },
}

/** A JSON value as a literal of a language; `margin` is the indentation of the line that it starts on. */
export function literal(value: unknown, style: Style, margin = ''): string {
  if (value === null || value === true || value === false)
    return style.words[String(value) as keyof Style['words']]
  if (typeof value === 'string') return style.string(value)
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? style.array : style.object
  const inner = margin + style.indent
  const items = isList
    ? value.map(item => literal(item, style, inner))
    : Object.entries(value as object).map(([name, item]) => style.key(name) + literal(item, style, inner))
  if (items.length === 0) return `${open}${close}`
  if (isList && items.every(item => !item.includes('\n'))) return `${open}${items.join(', ')}${close}`
  return `${open}\n${items.map(item => `${inner}${item},\n`).join('')}${margin}${close}`
}
