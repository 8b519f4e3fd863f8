import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked } from 'marked'
import { docsFolder } from '../../paths.ts'
import { html } from './html.ts'

/** The part of a guide below one heading: the unit of search. */
export interface Section {
  guide: string
  anchor: string
  title: string
  text: string
}

export interface Guide {
  name: string
  title: string
  markup: string
  sections: Section[]
}

/** The anchor that GitHub gives a heading, so that links work on both. */
const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Translates links between files of docs/ to links between pages; files outside of docs/ are not linked. */
function hrefOf(href: string): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href
  const file = /^([a-z0-9-]+|README)\.md(#.*)?$/.exec(href)
  if (file) return file[1] === 'README' ? '/docs' : `/docs/${file[1]}${file[2] ?? ''}`
  return /^(images|deploy|grafana)\//.test(href) ? `/docs/${href}` : undefined
}

const plain = (markdown: string) => markdown.replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')

/** Reads a guide from docs/. Guides are ours, so their markup is trusted. */
export function readGuide(name: string): Guide {
  const source = readFileSync(join(docsFolder, `${name}.md`), 'utf8')
  const sections: Section[] = []
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const id = slug(plain(text))
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = hrefOf(href)
        return target === undefined ? inner : `<a href="${html`${target}`.markup}">${inner}</a>`
      },
      image({ href, text }) {
        return html`<img src="${hrefOf(href) ?? href}" alt="${text}" loading="lazy">`.markup
      },
      // Long lines and wide tables scroll; the tab stop and label make them accessible by keyboard.
      code({ text, lang }) {
        const language = lang?.split(/\s/)[0]
        const label = language ? `Code, ${language}` : 'Code'
        return html`<pre tabindex="0" role="group" aria-label="${label}"><code${language && html` class="language-${language}"`}>${text}\n</code></pre>\n`
          .markup
      },
      table({ header, rows }) {
        const head = header.map(
          cell => `<th role="columnheader">${this.parser.parseInline(cell.tokens)}</th>`,
        )
        const cells = (row: typeof header) =>
          row.map((cell, index) => {
            const title = html`${plain(header[index]?.text ?? '')}`.markup
            return `<td role="cell" data-title="${title}">${this.parser.parseInline(cell.tokens)}</td>`
          })
        const line = (content: string[]) => `<tr role="row">${content.join('')}</tr>\n`
        // Cells are stacked on a phone, and changing a table's display removes its semantics: hence the roles.
        return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table role="table">
<thead role="rowgroup">${line(head)}</thead>
<tbody role="rowgroup">${rows.map(row => line(cells(row))).join('')}</tbody></table></div>\n`
      },
    },
  })
  for (const token of marked.lexer(source)) {
    if (token.type === 'heading')
      sections.push({ guide: name, anchor: slug(plain(token.text)), title: plain(token.text), text: '' })
    else if (sections.length > 0 && 'raw' in token)
      (sections.at(-1) as Section).text += `${plain(token.raw)}\n`
  }
  return { name, title: sections[0]?.title ?? name, markup: marked.parse(source) as string, sections }
}

/** All guides, in the order of docs/README.md. */
export function readGuides(): Guide[] {
  const index = readFileSync(join(docsFolder, 'README.md'), 'utf8')
  const names = [...index.matchAll(/\]\(([a-z0-9-]+)\.md\)/g)].map(([, name]) => name as string)
  return [...new Set(names)].filter(name => existsSync(join(docsFolder, `${name}.md`))).map(readGuide)
}
