// The service under load, as the benchmarks start and fill it.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = join(dirname(fileURLToPath(import.meta.url)), '../server/bin/tributary.js')

export const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]

/** The service on a free port, with the given settings besides. */
export async function startService(settings) {
  const env = {
    ...process.env,
    PORT: '0',
    LOG_LEVEL: 'warn',
    TRIBUTARY_RATE_LIMIT_PER_MINUTE: '100000000',
    ...settings,
  }
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  while (!/listening on (\S+)/.test(output)) output += (await once(child.stdout, 'data'))[0]
  const run = (...args) =>
    execFileSync(process.execPath, [program, ...args], { env, encoding: 'utf8' }).trim()
  return { child, run, url: /listening on (\S+)/.exec(output)[1] }
}

/** One account with what the benchmarks ask for: an approved affiliate and a referred customer. */
export async function fill({ run, url }) {
  const keys = []
  run('account', 'create', '--name', 'Bench', '--email', 'b@example.com', '--password', 'correct horse')
  for (let i = 0; i < 4; i++)
    keys.push(run('key', 'create', '--account', '1', '--name', `bench ${i}`).split('\n').at(-1))
  run('campaign', 'create', '--account', '1', '--name', 'Bench', '--destination-url', 'https://shop.example/')
  const send = async (method, path, body) => {
    const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
  }
  await send('POST', '/api/v1/affiliates', { email: 'jane@example.com', campaign_id: 1, token: 'jane' })
  await send('PATCH', '/api/v1/affiliates/1', { status: 'approved' })
  for (let i = 0; i < 64; i++)
    await send('POST', '/ingest/v1/conversions', {
      campaign_id: 1,
      customer_ref: `customer-${i}`,
      token: 'jane',
    })
  return keys
}

/** Asks a process for one round of load and returns requests per second. */
export async function round(load, job) {
  load.send(job)
  const [{ rate, failures }] = await once(load, 'message')
  if (failures > 0) throw new Error(`${failures} requests failed: ${JSON.stringify(job)}`)
  return rate
}
