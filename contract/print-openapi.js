// Prints the OpenAPI document as served at the given URL: node contract/print-openapi.js http://127.0.0.1:3000
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const input = join(dirname(fileURLToPath(import.meta.url)), 'src/index.ts')
const { output } = await build({ input, write: false, output: { format: 'esm' }, logLevel: 'warn' })
const contract = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`)
console.log(JSON.stringify(contract.openApiDocument(argv[2] ?? 'http://127.0.0.1:3000'), null, 2))
