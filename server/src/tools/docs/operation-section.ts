import { errorStatuses } from '@tributary/contract'
import { formatJson, sampleResponse } from './examples.ts'
import {
  anchor,
  type Column,
  type Content,
  example,
  exampleIn,
  type Html,
  html,
  prose,
  table,
} from './html.ts'
import type { ApiOperation, ApiResponse, Parameter } from './operation.ts'
import { samples } from './samples.ts'
import {
  fieldsOf,
  nameColumn,
  referredName,
  requiredColumn,
  type Schemas,
  typeOf,
  valueColumns,
} from './schema.ts'

export const badge = (method: string): Html =>
  html`<span class="method" data-method="${method.toLowerCase()}">${method}</span>`

const parameterColumns: readonly Column<Parameter>[] = [
  {
    title: 'Name',
    cell: ({ name, required }) => html`<code>${name}</code>${required && html` <strong>required</strong>`}`,
  },
  { title: 'In', cell: parameter => parameter.in },
  ...valueColumns,
]

const responseColumns: readonly Column<ApiResponse>[] = [
  { title: 'Status', cell: ({ status }) => html`<code>${status}</code>` },
  { title: 'Meaning', cell: ({ meaning }) => prose(meaning) },
  { title: 'Body', cell: ({ schema }) => (schema ? typeOf(schema) : 'none') },
]

function requestBody(schemas: Schemas, { id, body }: ApiOperation): Content {
  if (!body) return undefined
  const schema = schemas[referredName(body) ?? ''] ?? body
  const least = schema.minProperties
  return html`<h4>Request body</h4>
<p>A JSON object: ${typeOf(body)}.${least && ` It has at least ${least === 1 ? 'one field' : `${least} fields`}.`}</p>
${table(`Request body of ${id}`, [nameColumn, requiredColumn, ...valueColumns], fieldsOf(schema))}`
}

function responses(schemas: Schemas, operation: ApiOperation): Html {
  const shown = operation.responses.findLast(({ schema }) => schema)
  return html`<h4>Responses</h4>
${table(`Responses of ${operation.id}`, responseColumns, operation.responses)}
${
  shown?.schema &&
  example(`Example response, ${shown.status}`, formatJson(sampleResponse(schemas, operation, shown.schema)))
}
<h4>Errors</h4>
<ul class="codes">
${operation.errors.map(
  code =>
    html`<li><a href="#${anchor('error', code)}">${errorStatuses[code]} <code>${code}</code></a></li>\n`,
)}</ul>`
}

/** The section of one operation. */
export function operationSection(baseUrl: string, schemas: Schemas, operation: ApiOperation): Html {
  const { id, method, path, summary, description, parameters } = operation
  return html`<section class="operation">
<h3 id="${anchor('operation', id)}">${prose(summary)}</h3>
<p class="route">${badge(method)} <code>${path}</code></p>
<p>${prose(description)}</p>
${exampleIn(
  samples.map(([language, sample]) => [language, sample(baseUrl, schemas, operation)]),
  id,
)}
${parameters.length > 0 && html`<h4>Parameters</h4>\n${table(`Parameters of ${id}`, parameterColumns, parameters)}`}
${requestBody(schemas, operation)}
${responses(schemas, operation)}
</section>
`
}
