import type { OpenApiDocument } from '@tributary/contract'
import { eventLinks, eventsSection } from './event-section.ts'
import { formatJson, sampleOf } from './examples.ts'
import { framed } from './frame.ts'
import { anchor, example, type Html, html, prose, table } from './html.ts'
import { type Chapter, introduction } from './introduction.ts'
import { type ApiOperation, operationsOf, shortName } from './operation.ts'
import { badge, operationSection } from './operation-section.ts'
import {
  fieldsOf,
  nameColumn,
  referredName,
  requiredColumn,
  type Schema,
  type Schemas,
  schemasOf,
  valueColumns,
} from './schema.ts'

interface Reference {
  readonly baseUrl: string
  readonly document: OpenApiDocument
  /** Tags with operations; events have a separate section. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly chapters: readonly Chapter[]
  readonly operations: readonly ApiOperation[]
  readonly schemas: Schemas
}

/** The table of contents. The page has it twice, beside the text and above it; only one of them is displayed. */
function contents({ document, tags, chapters, operations, schemas }: Reference): Html {
  const ofTag = (wanted: string) => operations.filter(({ tag }) => tag === wanted)
  const operationLink = (operation: ApiOperation) =>
    html`<li><a href="#${anchor('operation', operation.id)}">${badge(operation.method)} ${shortName(operation)}</a></li>\n`
  return html`<p><a href="#introduction">Introduction</a></p>
<ul>
${chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}</ul>
${tags.map(
  ({ name }) => html`<p><a href="#${anchor('tag', name)}">${name}</a></p>
<ul>
${ofTag(name).map(operationLink)}</ul>
`,
)}${eventLinks(document)}<p><a href="#objects">Objects</a></p>
<ul>
${Object.keys(schemas).map(name => html`<li><a href="#${anchor('object', name)}">${name}</a></li>\n`)}</ul>`
}

function objectSection(schemas: Schemas, name: string, schema: Schema): Html {
  const fields = fieldsOf(schema)
  // Without optional fields, the column would have the same value in every row.
  const columns = fields.every(({ required }) => required)
    ? [nameColumn, ...valueColumns]
    : [nameColumn, requiredColumn, ...valueColumns]
  return html`<section class="object">
<h3 id="${anchor('object', name)}">${name}</h3>
${schema.description && html`<p>${prose(schema.description)}</p>`}
${table(`Fields of ${name}`, columns, fields)}
${example(`Example ${name}`, formatJson(sampleOf(schemas, schema, name)))}
</section>
`
}

function objects({ operations, schemas }: Reference): Html {
  const bodies = new Set(operations.map(({ body }) => body && referredName(body)))
  const sections = (wanted: boolean) =>
    Object.entries(schemas)
      .filter(([name]) => bodies.has(name) === wanted)
      .map(([name, schema]) => objectSection(schemas, name, schema))
  return html`<section aria-labelledby="objects">
<h2 id="objects">Objects</h2>
<p>Objects have the fields listed here and no others. In responses every field is present, even if it is null.</p>
${sections(false)}${sections(true)}</section>
`
}

function main(reference: Reference): Html {
  const { document, baseUrl, tags, chapters, operations, schemas } = reference
  return html`<header id="introduction">
<h1>${document.info.title}</h1>
<p class="lead">${prose(document.info.description)}</p>
<p class="muted">Version ${document.info.version} · <a href="/openapi.json">OpenAPI document</a></p>
</header>
${chapters.map(
  ({ id, title, content }) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>
`,
)}${tags.map(
  ({ name, description }) => html`<section aria-labelledby="${anchor('tag', name)}">
<h2 id="${anchor('tag', name)}">${name}</h2>
<p>${prose(description)}</p>
${operations.filter(operation => operation.tag === name).map(operation => operationSection(baseUrl, schemas, operation))}</section>
`,
)}${eventsSection(document, schemas)}${objects(reference)}`
}

/** The API reference as one page that needs no scripts, and can be searched and printed as a whole. */
export function renderReference(document: OpenApiDocument): string {
  const baseUrl = (document.servers[0]?.url ?? '').replace(/\/+$/, '')
  const operations = operationsOf(document)
  const reference: Reference = {
    baseUrl,
    document,
    tags: document.tags.filter(({ name }) => operations.some(({ tag }) => tag === name)),
    chapters: introduction(baseUrl),
    operations,
    schemas: schemasOf(document),
  }
  return framed({
    title: `${document.info.title} · Reference`,
    place: 'API reference',
    contents: html`<p><a href="/docs">All guides</a></p>
${contents(reference)}`,
    main: main(reference),
  })
}
