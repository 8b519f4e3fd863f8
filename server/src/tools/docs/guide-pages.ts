import { openApiDocument } from '@tributary/contract'
import { once } from '../../kit/once.ts'
import { framed } from './frame.ts'
import { type Guide, readGuide, readGuides } from './guides.ts'
import { anchor, Html, html } from './html.ts'
import { operationsOf, shortName } from './operation.ts'
import { searchGuides } from './search-guides.ts'

/** All guides, with the sections of the current one. */
function contents(guides: Guide[], open: string | undefined): Html {
  const sectionsOf = (guide: Guide) => html`<ul>
${guide.sections.slice(1).map(({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>\n`)}</ul>`
  return html`${guides.map(
    guide => html`<p><a href="/docs/${guide.name}"${guide.name === open && html` aria-current="page"`}>${guide.title}</a></p>
${guide.name === open && sectionsOf(guide)}
`,
  )}<p><a href="/docs/reference">API reference</a></p>`
}

/** The operations of the API, as search finds them. */
function referenceSections(): Guide {
  const sections = operationsOf(openApiDocument('')).map(operation => ({
    guide: 'reference',
    anchor: anchor('operation', operation.id),
    title: shortName(operation),
    text: `${operation.method} ${operation.path} ${operation.description.replaceAll('`', '')}`,
  }))
  return { name: 'reference', title: 'API reference', markup: '', sections }
}

/** The documentation as pages, rendered from the same files in docs/ that GitHub shows. */
class GuidePages {
  readonly #guides = readGuides()
  readonly #index = readGuide('README')
  readonly #reference = referenceSections()

  index(): string {
    return this.#page(this.#index)
  }

  /** Undefined if there is no such guide. */
  guide(name: string): string | undefined {
    const guide = this.#guides.find(each => each.name === name)
    return guide && this.#page(guide)
  }

  search(query: string): string {
    const found = searchGuides([...this.#guides, this.#reference], query)
    const results = html`<ul class="results">
${found.map(
  ({
    guide,
    anchor,
    title,
    guideTitle,
    excerpt,
  }) => html`<li><a href="/docs/${guide}#${anchor}">${title}</a> <span class="muted">${guideTitle}</span>
<p class="excerpt">${excerpt}</p></li>\n`,
)}</ul>`
    const main = html`<h1>${query ? `“${query}”` : 'Search'}</h1>
${found.length > 0 ? results : html`<p>No results. Try fewer or different words, or look up API fields in the <a href="/docs/reference">reference</a>.</p>`}
`
    return framed({
      title: 'Search · Tributary',
      place: 'Documentation',
      contents: contents(this.#guides, undefined),
      main,
      query,
    })
  }

  /** The page for unknown documentation URLs. */
  missing(): string {
    return framed({
      title: 'Page not found · Tributary',
      place: 'Documentation',
      contents: contents(this.#guides, undefined),
      main: html`<h1>Page not found</h1>
<p>Search the documentation, or choose a guide:</p>
<ul>
${this.#guides.map(({ name, title }) => html`<li><a href="/docs/${name}">${title}</a></li>\n`)}<li><a href="/docs/reference">API reference</a></li>
</ul>
`,
    })
  }

  #page(guide: Guide): string {
    return framed({
      title: `${guide.title} · Tributary`,
      place: 'Documentation',
      contents: contents(this.#guides, guide.name),
      main: html`<div class="guide">${new Html(guide.markup)}</div>`,
    })
  }
}

export const guidePages = once(() => new GuidePages())
