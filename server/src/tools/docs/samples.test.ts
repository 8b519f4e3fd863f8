import { openApiDocument } from '@tributary/contract'
import { Tributary } from '@tributary/sdk'
import { describe, expect, test } from 'vitest'
import { sampleRequest } from './examples.ts'
import { literal, php, python, ruby, typescript } from './literals.ts'
import { operationsOf } from './operation.ts'
import { samples } from './samples.ts'
import { schemasOf } from './schema.ts'

const baseUrl = 'https://affiliates.example.com'
const document = openApiDocument(baseUrl)
const schemas = schemasOf(document)
const all = operationsOf(document).map(operation => [operation.id, operation] as const)

describe.each(all)('%s', (_, operation) => {
  const wanted = sampleRequest(schemas, operation)
  const textOf = (language: string) =>
    samples.find(([name]) => name === language)?.[1](baseUrl, schemas, operation) ?? ''

  test('as TypeScript makes the request with the SDK', async () => {
    const sent: { method: string | undefined; target: string; body: unknown }[] = []
    const answer = async (url: string | URL | Request, init?: RequestInit) => {
      const { body, method } = init ?? {}
      const sentBody = typeof body === 'string' ? JSON.parse(body) : undefined
      sent.push({ method, target: String(url).slice(baseUrl.length), body: sentBody })
      return Response.json({ data: [], has_more: false })
    }
    class Recorded extends Tributary {
      constructor(options: ConstructorParameters<typeof Tributary>[0]) {
        super({ ...options, apiKey: `trib_${'x'.repeat(40)}`, fetch: answer as typeof fetch })
      }
    }
    const source = textOf('TypeScript').replace(/^import .*\n/, '')
    const run = new Function('Tributary', 'process', `return (async () => {${source}})()`)
    await run(Recorded, { env: {} })
    expect(sent).toMatchObject([{ method: operation.method, target: wanted.target, body: wanted.body }])
  })

  test.each(['cURL', 'Python', 'PHP', 'Ruby'])(
    'as %s names the address, the key and every field',
    language => {
      const text = textOf(language)
      expect(text).toContain(baseUrl + wanted.target)
      expect(text).toContain('TRIBUTARY_KEY')
      for (const name of Object.keys(wanted.body ?? {})) expect(text).toContain(name)
    },
  )
})

test('values are written as each language writes them', () => {
  const value = { a: null, b: [true, false], c: { 'x-y': "it's \\ 1" }, d: [] }
  expect(literal(value, typescript)).toBe(
    "{\n  a: null,\n  b: [true, false],\n  c: {\n    'x-y': 'it\\'s \\\\ 1',\n  },\n  d: [],\n}",
  )
  expect(literal(value, python)).toBe(
    '{\n    "a": None,\n    "b": [True, False],\n    "c": {\n        "x-y": "it\'s \\\\ 1",\n    },\n    "d": [],\n}',
  )
  expect(literal({ a: null, b: { c: 1 } }, php)).toBe(
    "[\n    'a' => null,\n    'b' => [\n        'c' => 1,\n    ],\n]",
  )
  expect(literal({ a: null, 'x-y': 1 }, ruby)).toBe("{\n  a: nil,\n  'x-y' => 1,\n}")
})
