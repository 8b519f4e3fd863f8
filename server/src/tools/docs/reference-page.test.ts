import { components, errorMeanings, errorStatuses, openApiDocument, operations } from '@tributary/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { curlOf, sampleBody, sampleOf, sampleResponse } from './examples.ts'
import { anchor, html, prose } from './html.ts'
import { operationsOf } from './operation.ts'
import { renderReference } from './reference-page.ts'
import { type Schema, schemasOf } from './schema.ts'

const baseUrl = 'https://affiliates.example.com'
const document = openApiDocument(baseUrl)
const page = renderReference(document)

const allOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found)

/** The section of one operation, from its heading to the next one. */
const sectionOf = (id: string) => page.split(`<h3 id="operation-${id}">`)[1]?.split('<h3 ')[0] ?? ''

describe('the reference', () => {
  test.each(Object.entries(operations))(
    'shows %s with its method, path, parameters and errors',
    (id, operation) => {
      const section = sectionOf(id)
      expect(section).toContain(`>${operation.method}</span> <code>${operation.path}</code>`)
      const { properties = {} } = operation.query as { properties?: object }
      for (const name of Object.keys(properties)) expect(section).toContain(`<code>${name}</code>`)
      for (const status of Object.keys(operation.success)) expect(section).toContain(`<code>${status}</code>`)
      expect(allOf(section, /href="#error-(\w+)"/g).sort()).toEqual([...operation.errors].sort())
      expect(allOf(page, /href="#operation-(\w+)"/g).filter(target => target === id)).toHaveLength(2)
    },
  )

  test.each(Object.entries(errorStatuses))('explains the error %s', (code, status) => {
    const row = page.split(`id="error-${code}"`)[1]?.split('</tr>')[0]
    expect(row).toContain(`>${status}</td>`)
    expect(row).toContain(prose(errorMeanings[code as keyof typeof errorMeanings]).markup)
  })

  test.each([...Object.keys(components), 'Error'])('describes the object %s', name => {
    expect(page).toContain(`<h3 id="${anchor('object', name)}">${name}</h3>`)
  })

  test('names the base URL once a trailing slash is gone', () => {
    expect(renderReference(openApiDocument(`${baseUrl}/`))).toBe(page)
  })

  test('escapes whatever the document says, in names as well as in texts', () => {
    const hostile = `<script>&"'`
    const soil = (value: unknown): unknown => {
      if (typeof value === 'string') return value.startsWith('#/') ? value : `${value}${hostile}`
      if (Array.isArray(value)) return value.map(soil)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, soil(item)]))
    }
    const { properties } = document.components.schemas.Affiliate as Schema
    const schemas = {
      ...document.components.schemas,
      Affiliate: { properties: { ...properties, [hostile]: {} } },
    }
    const soiled = {
      ...document,
      components: { ...document.components, schemas: { ...schemas, [hostile]: {} } },
    }
    const rendered = renderReference(soil(soiled) as typeof document)
    expect(rendered).toContain('&lt;script&gt;&amp;&quot;&#39;')
    expect(rendered.replace('<script src="/assets/docs.js" defer>', '')).not.toContain('<script')
    // Every quote that is not an entity belongs to an attribute, so the number in each tag is even.
    for (const tag of rendered.match(/<[a-z][^>]*>/g) ?? []) expect(tag.split('"').length % 2).toBe(1)
    expect(rendered.match(/&(?!(amp|lt|gt|quot|#39);)/)).toBeNull()
  })
})

test.each(Object.entries(document.webhooks))('shows the event %s with an example', (kind, { post }) => {
  expect(page).toContain(`<h3 id="${anchor('operation', post.operationId)}">${post.summary}</h3>`)
  expect(page).toContain(`&quot;type&quot;</span>: &quot;${kind}&quot;`)
})

describe.each([['the reference', page]])('%s', (_, text) => {
  test('loads and links nothing from elsewhere', () => {
    for (const target of allOf(text, /(?:src|href)="([^"]*)"/g)) expect(target).toMatch(/^(\/(?!\/)|#)/)
  })

  test('keeps to the content security policy: one script, no inline style', () => {
    const rest = text.replace('<script src="/assets/docs.js" defer></script>', '')
    expect(rest).not.toMatch(/<script|<style|<iframe|\sstyle=|\son[a-z]+=/i)
  })

  test('has one target for every link within the page, and one main heading', () => {
    const ids = allOf(text, /\sid="([^"]+)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    for (const target of allOf(text, /href="#([^"]*)"/g)) expect(ids).toContain(target)
    expect(text.match(/<h1[ >]/g)).toHaveLength(1)
  })

  test('never skips a level of heading', () => {
    const levels = allOf(text, /<h([1-6])[ >]/g).map(Number)
    levels.forEach((level, index) => {
      expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1)
    })
  })
})

describe('the examples', () => {
  const schemas = schemasOf(document)
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'document')
  const problems = (schema: Schema, value: unknown) => {
    const validate = ajv.compile({ ...schema, ...(schema.$ref && { $ref: `document${schema.$ref}` }) })
    return validate(value) ? null : validate.errors
  }

  test.each(Object.keys(schemas))('fit the schema of %s', name => {
    const schema = { $ref: `#/components/schemas/${name}` }
    expect(problems(schema, sampleOf(schemas, schema))).toBeNull()
  })

  test.each(operationsOf(document).map(operation => [operation.id, operation] as const))(
    'of %s fit what it takes and answers, and curl sends them',
    (_, operation) => {
      const body = sampleBody(schemas, operation)
      const curl = curlOf(baseUrl, schemas, operation)
      expect(curl).toMatch(new RegExp(`curl '${baseUrl}/(api|ingest)/v1/`))
      expect(curl).not.toContain('{id}')
      if (operation.body) {
        expect(problems(operation.body, body)).toBeNull()
        expect(JSON.parse(/-d '([^']*)'$/.exec(curl)?.[1] ?? '')).toEqual(body)
      } else expect(curl.includes(`-X ${operation.method}`)).toBe(operation.method !== 'GET')
      for (const { schema } of operation.responses)
        if (schema) expect(problems(schema, sampleResponse(schemas, operation, schema))).toBeNull()
    },
  )
})

test('markup is escaped unless a template made it', () => {
  expect(html`<p>${'<b>'}${html`<i>`}${['&', 1, false, undefined]}</p>`.markup).toBe(
    '<p>&lt;b&gt;<i>&amp;1</p>',
  )
  expect(prose('a `<b>` c').markup).toBe('a <code>&lt;b&gt;</code> c')
})
