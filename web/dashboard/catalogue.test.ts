/** Protects the catalogues: what the dashboard's users read is in the `en.ts` of each area, so it can be reviewed and translated. */

import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { codeFiles } from '../../server/test/import-graph.ts'

/** Props, attributes and options whose value is read by users, or read out to them. */
const SHOWN =
  /^(alt|title|label|placeholder|description|note|message|subject|confirm|noun|verb|closed|none|name|group|text|meaning|remedy|nothingFound(Message)?|aria-(label|description|roledescription|placeholder|valuetext))$/
/** Props whose value is code. */
const CODE =
  /^(style|className|classNames|styles|gridTemplateColumns|overflow|whiteSpace|fontVariantNumeric|fontFamily|key|to|from|href|src|rel|type|d)$/
/** Elements whose `name` is the field's key in the request. */
const FORM_FIELD = /input$|Input$|Select$/
/** Calls whose strings are for developers, or name exports or selectors. */
const INTERNAL = /^(Error|TypeError|RangeError|page|lazyRouteComponent|closest)$/

interface Node {
  type: string
  start: number
  [property: string]: unknown
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const children = (node: Node) =>
  Object.values(node)
    .flatMap(value => (Array.isArray(value) ? value : [value]))
    .filter(isNode)

/** The literal text of a string or template; undefined for anything else. */
function literal(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')
}

/** The literals that an expression can evaluate to: through conditions, fallbacks and concatenation, not into calls. */
function valuesOf(node: Node): string[] {
  const text = literal(node)
  if (text !== undefined) return [text]
  const inside: Record<string, string[]> = {
    ConditionalExpression: ['consequent', 'alternate'],
    LogicalExpression: ['left', 'right'],
    BinaryExpression: node.operator === '+' ? ['left', 'right'] : [],
    ArrayExpression: ['elements'],
    JSXExpressionContainer: ['expression'],
    ArrowFunctionExpression: ['body'],
    ParenthesizedExpression: ['expression'],
    TSAsExpression: ['expression'],
  }
  return (inside[node.type] ?? []).flatMap(name => [node[name]].flat().filter(isNode).flatMap(valuesOf))
}

const hasLetters = (text: string) => /\p{L}/u.test(text.replaceAll('…', ''))
/** A sentence or a label: two words, or one that starts with a capital. `ApiError` and `Content-Type` are neither. */
const isProse = (text: string) => /\p{L}{2,}[,:;.!?]? \p{L}|^\s*\p{Lu}\p{Ll}+(?![\p{L}-])/u.test(text)
const nameOf = (node: unknown) => {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown }
  return typeof name === 'string' ? name : typeof value === 'string' ? value : ''
}

const calledBy = ({ callee }: Node) =>
  nameOf((callee as Node).type === 'MemberExpression' ? (callee as Node).property : callee)

/** Every text that is in a source instead of its catalogue. */
function strayTexts(file: string, source: string): string[] {
  const found: string[] = []
  const walk = (node: Node): void => {
    if (/^(TS(?!(As|Satisfies|NonNull)Expression)|Import|ExportAll)/.test(node.type)) return
    if (/^(New|Call)Expression$/.test(node.type) && INTERNAL.test(calledBy(node))) return
    if (node.type === 'JSXText' && hasLetters(node.value as string)) found.push((node.value as string).trim())
    if (node.type === 'JSXAttribute' || node.type === 'Property') {
      const name = nameOf(node.type === 'Property' ? node.key : node.name)
      if (CODE.test(name)) return
      if (SHOWN.test(name) && isNode(node.value)) {
        const texts = valuesOf(node.value).filter(hasLetters)
        found.push(...texts)
        if (texts.length > 0) return
      }
    }
    // What an element has for children, such as {isDone && 'done'}, whether or not it looks like prose.
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node.children as Node[])
        if (child.type === 'JSXExpressionContainer') {
          const texts = valuesOf(child).filter(text => hasLetters(text) && !isProse(text))
          found.push(...texts)
        }
    const text = literal(node)
    if (text !== undefined && isProse(text)) found.push(text)
    const isFormField = node.type === 'JSXOpeningElement' && FORM_FIELD.test(nameOf(node.name))
    for (const child of children(node).filter(each => !(isFormField && nameOf(each.name) === 'name')))
      if (!(node.type === 'JSXElement' && child.type === 'JSXClosingElement')) walk(child)
  }
  walk(parseSync(file, source).program as unknown as Node)
  return found
}

const sources = [...codeFiles()].filter(
  ([file]) => /^web\/(dashboard|ui)\/.*\.tsx?$/.test(file) && !/(\/en|\.test)\.tsx?$/.test(file),
)

it.each(sources)('%s holds no text', (file, source) => {
  expect(strayTexts(file, source)).toEqual([])
})

describe('the rule', () => {
  it('reads every source', () => {
    expect(sources.length).toBeGreaterThan(100)
  })

  it.each([
    ['<p>Saved</p>', ['Saved']],
    ['<p>{isDone && "done"}</p>', ['done']],
    ['<p>{isDone ? `of $' + '{count}` : null}</p>', ['of …']],
    ['<Button aria-label="close" />', ['close']],
    ['<Field title={isNew ? "new" : name} />', ['new']],
    ['<TextInput name="email" label="email" />', ['email']],
    ['<ShownOnce name="key" />', ['key']],
    ['notifications.show({ message: `kept $' + '{id}` })', ['kept …']],
    ['useChange("route", { done: () => "Saved" })', ['Saved']],
    ['const steps = [{ title: "first" }]', ['first']],
    ['const greeting = "Good morning"', ['Good morning']],
  ])('refuses %s', (source, texts) => {
    expect(strayTexts('a.tsx', source)).toEqual(texts)
  })

  it.each([
    '<p>{texts.saved} – {count(2)}</p>',
    '<Box style={{ border: "1px solid var(--line)" }} c="dimmed" />',
    '<Status value={isPaid ? "paid" : "failed"} />',
    '<TextInput name="paypal_email" />',
    'throw new Error("useAccount needs a provider.")',
    'const statuses = ["pending", "partially_paid"] as const',
    'import "./a b.css"',
    'type Name = "First name"',
  ])('accepts %s', source => {
    expect(strayTexts('a.tsx', source)).toEqual([])
  })
})
