/** Protects the outermost layer: every answer has a Request-Id and the one error object, even to what is hardly HTTP. */
import pino from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { TestClient } from '../client.ts'
import { useScene } from '../harness.ts'
import { rawRequest, sendRaw } from '../raw-http.ts'

const scene = useScene()
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const authorization = () => ({ Authorization: `Bearer ${scene.account.key}` })

it('who sends a request byte by byte is cut off within a minute', async () => {
  const app = await buildApp({ services: scene.app.services, log: pino({ level: 'silent' }) })
  onTestFinished(() => app.close())
  const { requestTimeout, headersTimeout } = app.server
  for (const milliseconds of [requestTimeout, headersTimeout]) {
    expect(milliseconds).toBeGreaterThan(0)
    expect(milliseconds).toBeLessThanOrEqual(60_000)
  }
})

describe('an unknown path', () => {
  const paths = [
    '',
    '/',
    '/nothing',
    '/affiliates/1/2',
    '/affiliates//',
    '//affiliates',
    '/affiliate',
    '/Affiliates',
    '/affiliates/1/magic-link',
    '/openapi.json',
    '/affiliates/%',
  ]
  it.each(paths)('%j is 404 with a key, whatever the method and body', async path => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']) {
      const body = method === 'POST' ? { body: 'not even JSON' } : {}
      const answer = await scene.api.send(method, path, body)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    }
  })

  it.each(paths)('%j is 401 without one', async path => {
    const { status, body } = await new TestClient(scene.app.url).get(path)
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
  })

  it('outside the API is 404', async () => {
    for (const path of ['/nothing', '/api', '/api/v2/affiliates', '/apiv1']) {
      const response = await fetch(scene.app.url + path)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({ error: { code: 'not_found', message: expect.any(String) } })
      expect(response.headers.get('request-id')).toMatch(uuid)
    }
  })
})

describe('CORS', () => {
  it('is off: a preflight is no more than a wrong method, and no answer allows an origin', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    for (const method of ['OPTIONS', 'GET'] as const) {
      const answer = await scene.api.send(method, '/affiliates', { headers })
      expect(answer.status).toBe(method === 'GET' ? 200 : 405)
      expect([...answer.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    }
  })
})

describe('HEAD', () => {
  it.each(['/affiliates', '/affiliates/{id}', '/affiliates/0', '/campaigns?limit=0'])(
    '%s answers as GET does, without the body',
    async path => {
      const concrete = path.replace('{id}', String(scene.place.affiliate_id))
      const [get, head] = [await scene.api.get(concrete), await scene.api.send('HEAD', concrete)]
      expect([head.status, head.text]).toEqual([get.status, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    },
  )
})

describe('Request-Id', () => {
  it('is new for every answer, and the caller cannot choose it', async () => {
    const ids = new Set<string>()
    for (const path of ['/affiliates', '/affiliates/0', '/nothing', '/affiliates?limit=0']) {
      const { headers } = await scene.api.get(path, {
        headers: { 'request-id': 'mine', 'x-request-id': 'mine' },
      })
      expect(headers.get('request-id')).toMatch(uuid)
      ids.add(headers.get('request-id') as string)
    }
    expect(ids.size).toBe(4)
  })

  it.each(['/healthz', '/readyz', '/docs', '/openapi.json', '/metrics', '/'])('is on %s', async path => {
    expect((await fetch(scene.app.url + path)).headers.get('request-id')).toMatch(uuid)
  })
})

describe('what is hardly HTTP', () => {
  it.each<[string, string | Buffer]>([
    ['noise', 'this is not HTTP\r\n\r\n'],
    ['a TLS hello', Buffer.from('160301000501000001000303', 'hex')],
    ['an unknown method', rawRequest('FROB /api/v1/affiliates HTTP/1.1')],
    ['a header without a name', rawRequest('GET / HTTP/1.1', { '': 'x' })],
    ['two lengths', rawRequest('POST / HTTP/1.1', { 'Content-Length': '1\r\nContent-Length: 2' }, 'x')],
    [
      'a length and chunks',
      rawRequest('POST / HTTP/1.1', { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'),
    ],
    ['headers of 64 KiB', rawRequest('GET / HTTP/1.1', { 'X-Long': 'x'.repeat(65_536) })],
    ['a NUL in a header', rawRequest('GET / HTTP/1.1', { 'X-Nul': 'a\0b' })],
  ])('%s gets the standard error object', async (_what, bytes) => {
    const answer = await sendRaw(scene.app.url, bytes)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(/^request-id: (.+)$/im.exec(head)?.[1]).toMatch(uuid)
    expect(JSON.parse(body)).toEqual({ error: { code: 'bad_request', message: expect.any(String) } })
  })

  it('a request that breaks off in the middle of its body is dropped, and the next one is served', async () => {
    const aborted = new AbortController()
    const sending = fetch(`${scene.app.url}/api/v1/affiliates`, {
      method: 'POST',
      headers: { ...authorization(), 'content-type': 'application/json' },
      body: new ReadableStream({ start: controller => controller.enqueue(Buffer.from('{"email":')) }),
      duplex: 'half',
      signal: aborted.signal,
    } as RequestInit)
    aborted.abort()
    await expect(sending).rejects.toThrow()
    expect((await scene.api.get('/affiliates')).status).toBe(200)
  })

  it('a target in absolute form is served as its path', async () => {
    const answer = await sendRaw(scene.app.url, rawRequest('GET http://localhost/healthz HTTP/1.1'))
    expect(answer).toMatch(/^HTTP\/1\.1 (200|404) /)
  })
})

it('answers JSON in UTF-8', async () => {
  for (const path of ['/affiliates', '/affiliates/0'])
    expect((await scene.api.get(path)).headers.get('content-type')).toBe('application/json; charset=utf-8')
})
