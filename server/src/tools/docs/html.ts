import { escapeHtml } from '../../kit/escape-html.ts'

/** Escaped markup. Only `html` creates it, so nothing reaches a page unescaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Content = Html | string | number | false | undefined | readonly Content[]

function markupOf(content: Content): string {
  if (content instanceof Html) return content.markup
  if (content === undefined || content === false) return ''
  if (typeof content === 'object') return content.map(markupOf).join('')
  return escapeHtml(String(content))
}

/** A template tag: literals are markup, values are escaped unless they already are markup. */
export function html(literals: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(literals.map((literal, index) => literal + markupOf(values[index])).join(''))
}

/** Puts a separator between pieces, as `Array.join` does for strings. */
export const joined = (pieces: readonly Content[], separator: string): Content =>
  pieces.map((piece, index) => (index === 0 ? piece : [separator, piece]))

/** Renders a description, whose only markup is backticks for code. */
export const prose = (text = ''): Html =>
  html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`

/** The id of a section. Names come from the document, so characters that are invalid in an id or fragment are replaced. */
export const anchor = (kind: 'tag' | 'operation' | 'object' | 'error', name: string): string =>
  `${kind}-${name.replace(/[^A-Za-z0-9_-]+/g, '-')}`

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Content
  /** Set if other parts of the page link to a row. */
  readonly id?: (row: Row) => string
}

/**
 * A table whose first column is the row header. The stylesheet stacks its cells on a phone, and changing a table's display removes
 * its semantics: hence the roles, and the titles repeated on the cells.
 */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  const head = columns.map(({ title }) => html`<th role="columnheader" scope="col">${title}</th>`)
  const cell = (row: Row, { title, cell, id }: Column<Row>, index: number) =>
    index === 0
      ? html`<th role="rowheader" scope="row"${id && html` id="${id(row)}"`}>${cell(row)}</th>`
      : html`<td role="cell" data-title="${title}">${cell(row)}</td>`
  return html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">
${rows.map(row => html`<tr role="row">${columns.map((column, index) => cell(row, column, index))}</tr>\n`)}</tbody>
</table>`
}

/** JSON keys at the start of a line are highlighted. */
function code(text: string): Html {
  const lines = text.split('\n').map(line => {
    const [, indent, key, rest] = /^(\s*)("(?:[^"\\]|\\.)*")(: .*)$/.exec(line) ?? []
    return key ? html`${indent}<span class="key">${key}</span>${rest}` : line
  })
  return html`<pre><code>${joined(lines, '\n')}</code></pre>`
}

/** A captioned example. */
export const example = (caption: string, text: string): Html => html`<figure class="example">
<figcaption>${caption}</figcaption>
${code(text)}
</figure>`

/** The example request in several languages, one of which is open at a time, also without scripts. */
export const exampleIn = (
  samples: readonly (readonly [language: string, text: string])[],
  operation: string,
): Html =>
  html`<figure class="example samples">
<figcaption>Example request</figcaption>
${samples.map(
  (
    [language, text],
    index,
  ) => html`<details name="${anchor('operation', operation)}-request" data-language="${language}"${index === 0 && html` open`}>
<summary>${language}</summary>
${code(text)}
</details>
`,
)}</figure>`
