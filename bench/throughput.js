// Requests per second of the service beside a bare node:http server that does the least possible, in one run.
//
//   npm run bench -- [get] [sale] [click] [--seconds 2] [--rounds 5] [--connections 32] [--json]
//
// Everything is scratch: the service on an embedded PostgreSQL in a temporary directory, the yardstick and the load in
// processes of their own, on loopback. Rounds alternate, since the machine is rarely idle; medians count. It stops by itself.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fill, median, round, startService } from './service.js'

const here = dirname(fileURLToPath(import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
})

const paths = { get: '/api/v1/affiliates/1', sale: '/ingest/v1/sales', click: '/r/bench/jane' }

const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
const dataDir = join(folder, 'data')
const service = await startService({ TRIBUTARY_DATA_DIR: dataDir })
const load = fork(join(here, 'load.js'))
const results = []
try {
  const keys = await fill(service)
  const { service: password } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const socket = join(dataDir, 'postgres/socket')
  const bare = fork(join(here, 'bare.js'), [socket, password])
  const [{ port }] = await once(bare, 'message')
  for (const name of positionals.length > 0 ? positionals : Object.keys(paths)) {
    const job = {
      name,
      path: paths[name],
      keys,
      seconds: Number(values.seconds),
      connections: Number(values.connections),
    }
    const rates = { service: [], bare: [] }
    for (let i = 0; i < Number(values.rounds); i++) {
      rates.service.push(await round(load, { ...job, url: service.url }))
      rates.bare.push(await round(load, { ...job, url: `http://127.0.0.1:${port}` }))
    }
    const row = { name, service: Math.round(median(rates.service)), bare: Math.round(median(rates.bare)) }
    results.push({ ...row, ratio: Number((row.service / row.bare).toFixed(2)) })
  }
  bare.kill()
} finally {
  load.kill()
  service.child.kill('SIGTERM')
  await once(service.child, 'exit')
  await rm(folder, { recursive: true, force: true })
}
await writeFile(join(here, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else console.table(results)
