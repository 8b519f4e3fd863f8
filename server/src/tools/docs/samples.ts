import { curlOf, sampleRequest } from './examples.ts'
import { literal, php, python, ruby, typescript } from './literals.ts'
import type { ApiOperation } from './operation.ts'
import type { Schemas } from './schema.ts'

type Sample = (baseUrl: string, schemas: Schemas, operation: ApiOperation) => string

const camelCase = (text: string) => text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()

/** The SDK's method for an operation: its resource is the path's noun, and a path below an object names what it creates. */
function sdkCall({ method, path }: ApiOperation): string {
  const [noun = '', id, part] = path.split('/').slice(3)
  const resource = `tributary.${camelCase(noun)}`
  if (part !== undefined) return `${resource}.${camelCase(`create_${part}`)}`
  if (method === 'GET') return `${resource}.${id === undefined ? 'list' : 'get'}`
  return `${resource}.${{ POST: 'create', PATCH: 'update', DELETE: 'delete' }[method] ?? 'create'}`
}

const typescriptOf: Sample = (baseUrl, schemas, operation) => {
  const { id, query, body } = sampleRequest(schemas, operation)
  const given = [id, Object.keys(query).length > 0 ? query : undefined, body].filter(
    each => each !== undefined,
  )
  const call = `${sdkCall(operation)}(${given.map(each => literal(each, typescript)).join(', ')})`
  const isList = call.includes('.list(')
  return `import { Tributary } from '@tributary/sdk'

const tributary = new Tributary({
  apiKey: process.env.TRIBUTARY_KEY ?? '',
  baseUrl: ${literal(baseUrl, typescript)},
})
${operation.method === 'DELETE' ? '' : isList ? 'const { data } = ' : 'const result = '}await ${call}${isList ? '.page()' : ''}`
}

const pythonOf: Sample = (baseUrl, schemas, operation) => {
  const { target, body } = sampleRequest(schemas, operation)
  const hasResult = operation.method !== 'DELETE'
  return `import os
import requests

response = requests.${operation.method.toLowerCase()}(
    ${literal(baseUrl + target, python)},
    headers={"Authorization": f"Bearer {os.environ['TRIBUTARY_KEY']}"},
${body === undefined ? '' : `    json=${literal(body, python, python.indent)},\n`})
response.raise_for_status()${hasResult ? '\nresult = response.json()' : ''}`
}

const phpOf: Sample = (baseUrl, schemas, operation) => {
  const { target, body } = sampleRequest(schemas, operation)
  const json = body === undefined ? '' : ", 'Content-Type: application/json'"
  return `<?php
$request = curl_init(${literal(baseUrl + target, php)});
curl_setopt_array($request, [
    CURLOPT_CUSTOMREQUEST => ${literal(operation.method, php)},
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('TRIBUTARY_KEY')${json}],
${body === undefined ? '' : `    CURLOPT_POSTFIELDS => json_encode(${literal(body, php, php.indent)}),\n`}]);
$result = json_decode(curl_exec($request), true);`
}

const rubyOf: Sample = (baseUrl, schemas, operation) => {
  const { target, body } = sampleRequest(schemas, operation)
  const content =
    body === undefined
      ? ''
      : `request['Content-Type'] = 'application/json'\nrequest.body = JSON.generate(${literal(body, ruby)})\n`
  return `require 'json'
require 'net/http'

uri = URI(${literal(baseUrl + target, ruby)})
request = Net::HTTP::${capitalized(operation.method)}.new(uri)
request['Authorization'] = "Bearer #{ENV.fetch('TRIBUTARY_KEY')}"
${content}response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') { |connection| connection.request(request) }${
    operation.method === 'DELETE' ? '' : '\nresult = JSON.parse(response.body)'
  }`
}

/** The example request in every language, by its name. */
export const samples: readonly (readonly [language: string, sample: Sample])[] = [
  ['cURL', curlOf],
  ['TypeScript', typescriptOf],
  ['Python', pythonOf],
  ['PHP', phpOf],
  ['Ruby', rubyOf],
]
