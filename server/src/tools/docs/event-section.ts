import type { OpenApiDocument } from '@tributary/contract'
import { formatJson, sampleOf } from './examples.ts'
import { anchor, type Column, example, type Html, html, prose, table } from './html.ts'
import type { Parameter } from './operation.ts'
import { type Schema, type Schemas, typeOf } from './schema.ts'

interface EventOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

const headerColumns: readonly Column<Parameter>[] = [
  { title: 'Header', cell: ({ name }) => html`<code>${name}</code>` },
  { title: 'Type', cell: ({ schema }) => typeOf(schema) },
  { title: 'Meaning', cell: ({ description }) => prose(description) },
]

const eventsOf = (document: OpenApiDocument) =>
  Object.entries(document.webhooks).map(
    ([kind, { post }]) => [kind, post as unknown as EventOperation] as const,
  )

export const eventLinks = (document: OpenApiDocument): Html =>
  html`<p><a href="#events">Events</a></p>
<ul>
${eventsOf(document).map(([kind, { operationId }]) => html`<li><a href="#${anchor('operation', operationId)}">${kind}</a></li>\n`)}</ul>
`

/** The events with their payloads, and the headers of a delivery. */
export function eventsSection(document: OpenApiDocument, schemas: Schemas): Html {
  const events = eventsOf(document)
  const description = document.tags.find(({ name }) => name === 'Events')?.description
  return html`<section aria-labelledby="events">
<h2 id="events">Events</h2>
<p>${prose(description)} See <a href="/docs/webhooks">the guide</a>.</p>
${table('Headers of a delivery', headerColumns, events[0]?.[1].parameters ?? [])}
${events.map(([kind, { operationId, summary, description: when, requestBody }]) => {
  const { schema } = requestBody.content['application/json']
  return html`<section class="operation">
<h3 id="${anchor('operation', operationId)}">${summary}</h3>
<p class="route"><span class="method" data-method="post">POST</span> <code>${kind}</code></p>
<p>${prose(when)}</p>
<p>The payload is a ${typeOf(schema)}.</p>
${example(`Example ${kind}`, formatJson(sampleOf(schemas, schema)))}
</section>
`
})}</section>
`
}
