// Uses the built package, in plain JavaScript so that any Node version can run it: node consumer.js <folder of the package>
// loads it as ESM and CommonJS and tries a little of everything. Exits with the first error.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { argv, version } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Serves pages of a list, and drops the response to the first of two create requests. */
async function startService() {
  const keys = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x')
    const answer = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (request.method === 'GET' && pathname === '/api/v1/affiliates') {
      const after = Number(searchParams.get('starting_after') ?? 6)
      return answer(200, { data: [{ id: after - 1 }, { id: after - 2 }], has_more: after > 4 })
    }
    if (request.method !== 'POST')
      return answer(404, { error: { code: 'not_found', message: 'There is no such affiliate.' } })
    keys.push(request.headers['idempotency-key'])
    if (keys.length % 2 === 1) return request.socket.destroy()
    answer(201, { id: 1 })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    keys,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function consume({ Tributary, TributaryError, verifyWebhook, WebhookVerificationError }) {
  const service = await startService()
  try {
    const tributary = new Tributary({ apiKey: 'trib_x', baseUrl: service.url })
    const ids = []
    for await (const { id } of tributary.affiliates.list({ limit: 2 })) ids.push(id)
    assert.deepEqual(ids, [5, 4, 3, 2])

    const made = await tributary.affiliates.create({ email: 'a@b.c', campaign_id: 1 }).withResponse()
    assert.equal(made.status, 201)
    assert.equal(service.keys.length, 2)
    assert.match(service.keys[0], /^[0-9a-f-]{36}$/)
    assert.equal(service.keys[0], service.keys[1])

    const missing = await tributary.affiliates.get(9).catch(error => error)
    assert.ok(missing instanceof TributaryError)
    assert.deepEqual([missing.name, missing.code, missing.status], ['TributaryError', 'not_found', 404])
  } finally {
    service.close()
  }
  const body = '{"id":1,"type":"payout.paid","created_at":"2026-01-31T12:00:00.000Z","data":{}}'
  const t = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', 'whsec_x').update(`${t}.${body}`).digest('hex')
  const headers = { 'tributary-signature': `t=${t},v1=${v1}` }
  assert.equal((await verifyWebhook(body, headers, 'whsec_x')).type, 'payout.paid')
  await assert.rejects(verifyWebhook(body, headers, 'whsec_y'), WebhookVerificationError)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const file = name => resolve(argv[2], name)
  await consume(await import(pathToFileURL(file('index.js')).href))
  await consume(createRequire(import.meta.url)(file('index.cjs')))
  console.log(`@tributary/sdk works on Node ${version}, imported and required`)
}
