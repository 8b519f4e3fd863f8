import { errorStatuses } from '@tributary/contract'
import { curlOf, formatJson, sampleAnswer } from './examples.ts'
import { anchor, type Column, type Content, example, type Html, html, prose, table } from './html.ts'
import type { Answer, ApiOperation, Parameter } from './operation.ts'
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

const answerColumns: readonly Column<Answer>[] = [
  { title: 'Status', cell: ({ status }) => html`<code>${status}</code>` },
  { title: 'Meaning', cell: ({ meaning }) => prose(meaning) },
  { title: 'Body', cell: ({ schema }) => (schema ? typeOf(schema) : 'none') },
]

function requestBody(schemas: Schemas, { id, body }: ApiOperation): Content {
  if (!body) return undefined
  const schema = schemas[referredName(body) ?? ''] ?? body
  const least = schema.minProperties
  return html`<h4>Request body</h4>
<p>A JSON object: ${typeOf(body)}.${least && ` It holds at least ${least === 1 ? 'one field' : `${least} fields`}.`}</p>
${table(`Request body of ${id}`, [nameColumn, requiredColumn, ...valueColumns], fieldsOf(schema))}`
}

function answers(schemas: Schemas, operation: ApiOperation): Html {
  const shown = operation.answers.findLast(({ schema }) => schema)
  return html`<h4>Answers</h4>
${table(`Answers of ${operation.id}`, answerColumns, operation.answers)}
${
  shown?.schema &&
  example(`Example answer, ${shown.status}`, formatJson(sampleAnswer(schemas, operation, shown.schema)))
}
<h4>Errors</h4>
<ul class="codes">
${operation.errors.map(
  code =>
    html`<li><a href="#${anchor('error', code)}">${errorStatuses[code]} <code>${code}</code></a></li>\n`,
)}</ul>`
}

/** All that there is to know about one operation, in the order in which a person needs it. */
export function operationSection(baseUrl: string, schemas: Schemas, operation: ApiOperation): Html {
  const { id, method, path, summary, description, parameters } = operation
  return html`<section class="operation">
<h3 id="${anchor('operation', id)}">${prose(summary)}</h3>
<p class="route">${badge(method)} <code>${path}</code></p>
<p>${prose(description)}</p>
${example('Example request', curlOf(baseUrl, schemas, operation))}
${parameters.length > 0 && html`<h4>Parameters</h4>\n${table(`Parameters of ${id}`, parameterColumns, parameters)}`}
${requestBody(schemas, operation)}
${answers(schemas, operation)}
</section>
`
}
