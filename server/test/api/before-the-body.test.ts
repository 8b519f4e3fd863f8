/**
 * Protects the service from bodies: a caller without access is refused before a byte of the body is read, on every surface, and
 * what is read is bounded in size and depth before it is parsed.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Operation, operations } from '@tributary/contract'
import { type DashboardRoute, dashboardRoutes } from '@tributary/contract/dashboard'
import { type PortalRoute, portalRoutes } from '@tributary/contract/portal'
import { beforeAll, describe, expect, it } from 'vitest'
import { csrfToken, sha256 } from '../../src/kit/tokens.ts'
import { deleteSession } from '../../src/programme/team/session.store.ts'
import { startSession } from '../../src/programme/team/sessions.ts'
import { useScene } from '../harness.ts'

const scene = useScene()

/** The head of the answer to a request of which only the headers are sent: who reads the body first never answers. */
async function answerToHead(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  length: number | 'chunked' = 1024 * 1024,
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port, host } = new URL(scene.app.url)
  const socket = connect(Number(port), hostname)
  const all: Record<string, string> = {
    host,
    'content-type': 'application/json',
    ...(length === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${length === 'chunked' ? '1\r\n[\r\n' : '['}`,
  )
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  const [head = '', body = ''] = chunk.toString().split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, body }
}

const concrete = (path: string) => path.replace('{id}', '1')
const changes = (routes: Record<string, DashboardRoute | PortalRoute>) =>
  Object.values(routes)
    .filter(([method]) => method !== 'GET')
    .map(([method, path, caller]): [string, string, string] => [method, path, caller])

let session: { cookie: string; 'tributary-csrf': string; origin: string }
let token: string
async function signIn(role: string): Promise<void> {
  const { owner, db } = scene.database
  const { rows } = await owner.query(
    "INSERT INTO users (email, email_key, password_hash) VALUES ($1, $1, 'none') RETURNING id",
    [`${role}-${Math.random()}@example.com`],
  )
  await owner.query('INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, $3)', [
    scene.account.id,
    rows[0].id,
    role,
  ])
  token = await startSession(
    db,
    { id: Number(rows[0].id), password_hash: 'none' },
    { address: '127.0.0.1', userAgent: null },
  )
  session = { cookie: `tributary=${token}`, 'tributary-csrf': csrfToken(token), origin: scene.app.url }
}
const dashboard = (path: string) => `/dashboard/api/accounts/${scene.account.id}/${path}`
const bearer = () => ({ authorization: `Bearer ${scene.account.key}` })

describe('without access the body is not read', () => {
  it.each(
    Object.values<Operation>(operations)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => [method, path] as const),
  )('%s %s without a key', async (method, path) => {
    for (const length of [1024 * 1024, 'chunked'] as const)
      expect((await answerToHead(method, concrete(path), {}, length)).status).toBe(401)
  })

  it.each(changes(dashboardRoutes))('%s %s of the dashboard', async (method, path) => {
    const at = dashboard(concrete(path))
    expect((await answerToHead(method, at)).status).toBe(401)
    expect((await answerToHead(method, at, { origin: scene.app.url })).status).toBe(401)
    expect((await answerToHead(method, at, { origin: scene.app.url, cookie: 'tributary=x' })).status).toBe(
      401,
    )
  })

  it('of the dashboard, with a role that does not allow it, or without the token of the page', async () => {
    await signIn('viewer')
    for (const [method, path, permission] of changes(dashboardRoutes)) {
      const at = dashboard(concrete(path))
      // Every role may change what is the member's own.
      if (permission !== 'read') expect((await answerToHead(method, at, session)).status).toBe(403)
      expect((await answerToHead(method, at, { ...session, 'tributary-csrf': '' })).status).toBe(401)
    }
  })

  it.each([
    ['DELETE', 'session'],
    ['DELETE', 'sessions'],
    ['POST', 'password/change'],
  ])('%s %s of a person', async (method, path) =>
    expect((await answerToHead(method, `/dashboard/api/${path}`, { origin: scene.app.url })).status).toBe(
      401,
    ),
  )

  it.each(['session', 'setup', 'password/reset', 'password', 'invitation', 'invitation/accept'])(
    'POST %s from a foreign page, and more than a form holds',
    async path => {
      const at = `/dashboard/api/${path}`
      expect((await answerToHead('POST', at, { origin: 'https://evil.example' })).status).toBe(401)
      expect((await answerToHead('POST', at, { origin: scene.app.url }, 33 * 1024)).status).toBe(413)
    },
  )

  it.each(changes(portalRoutes))('%s %s of the portal', async (method, path, caller) => {
    const at = `/portal/${scene.account.slug}/api/${concrete(path)}`
    expect((await answerToHead(method, at, { origin: 'https://evil.example' })).status).toBe(401)
    const own = await answerToHead(method, at, { origin: scene.app.url })
    expect(own.status).toBe(caller === 'public' ? 413 : 401)
    expect(
      (await answerToHead(method, `/portal/none/api/${concrete(path)}`, { origin: scene.app.url })).status,
    ).toBe(404)
  })

  it.each(['sign-in', 'enter', 'confirm'])('POST of a link to %s, which carries nothing', async path =>
    expect((await answerToHead('POST', `/portal/${scene.account.slug}/${path}/x`)).status).toBe(410),
  )

  it.each([
    '/nothing',
    '/dashboard',
    '/dashboard/api/nothing',
    '/docs',
    '/metrics',
    '/t/nothing',
    '/portal/x/y',
  ])('POST %s, which does not exist', async path =>
    expect((await answerToHead('POST', path)).status).toBe(404),
  )

  it('of a length without end, and the connection is closed', async () => {
    const { status, head } = await answerToHead('POST', '/api/v1/affiliates', {}, 100 * 1024 ** 3)
    expect([status, /^connection: close$/im.test(head)]).toEqual([401, true])
  })
})

describe('a client that waits to be asked for the body', () => {
  const waiting = { expect: '100-continue' }
  it('is refused without being asked', async () => {
    const { status, head } = await answerToHead('POST', '/api/v1/affiliates', waiting)
    expect([status, /^connection: close$/im.test(head)]).toEqual([401, true])
  })
  it('is asked once it has been let in', async () =>
    expect((await answerToHead('POST', '/api/v1/affiliates', { ...bearer(), ...waiting }, 10)).status).toBe(
      100,
    ))
})

describe('with access', () => {
  beforeAll(() => signIn('owner'))

  it('256 KiB is the limit of every call of the dashboard but the uploads', async () => {
    const uploads = ['affiliates/import', 'portal/logo', 'creatives']
    for (const [method, path] of changes(dashboardRoutes)) {
      if (uploads.includes(path) && method === 'POST') continue
      const { status, body } = await answerToHead(method, dashboard(concrete(path)), session, 256 * 1024 + 1)
      expect([path, status, body]).toEqual([path, 413, expect.stringContaining('256 KiB')])
    }
    for (const [path, largest] of [
      ['affiliates/import', 4096],
      ['portal/logo', 1024],
      ['creatives', 4096],
    ] as const)
      expect((await answerToHead('POST', dashboard(path), session, largest * 1024 + 1)).status).toBe(413)
  })

  it('a compressed body is refused', async () => {
    const body = gzipSync(JSON.stringify({ email: 'a@example.com', campaign_id: 1 }))
    const response = await fetch(`${scene.app.url}/api/v1/affiliates`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body,
    })
    expect([response.status, await response.text()]).toEqual([415, expect.stringContaining('uncompressed')])
  })

  it('what ends while the body is still being sent is over', async () => {
    const { hostname, port, host } = new URL(scene.app.url)
    const socket = connect(Number(port), hostname)
    const head = Object.entries({
      host,
      'content-type': 'application/json',
      'content-length': '2',
      expect: '100-continue',
      ...session,
    })
    socket.write(
      `DELETE ${dashboard('portal/logo')} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    const [interim] = (await once(socket, 'data')) as [Buffer]
    expect(interim.toString()).toMatch(/^HTTP\/1\.1 100 /)
    // The session was valid, and its request is being read. From a second on, the body counts as slow.
    socket.write('{')
    await new Promise(resolve => setTimeout(resolve, 1200))
    await deleteSession(scene.database.db, sha256(token))
    socket.write('}')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 401 /)
    await signIn('owner')
  })
})

describe('a body that is nested too deep is refused before it is parsed', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const send = (path: string, body: string, headers: Record<string, string>) =>
    fetch(scene.app.url + path, {
      method: 'POST',
      headers: { origin: scene.app.url, 'content-type': 'application/json', ...headers },
      body,
    })
  const surfaces: [string, () => Record<string, string>][] = [
    ['/api/v1/affiliates', bearer],
    ['/ingest/v1/sales', bearer],
    ['/dashboard/api/session', () => ({})],
    ['/dashboard/api/setup', () => ({})],
    ['/dashboard/api/accounts/{account}/campaigns', () => session],
    ['/dashboard/api/accounts/{account}/affiliates/import', () => session],
    ['/portal/{slug}/api/sign-in-links', () => ({})],
    ['/t/clicks', () => ({})],
    ['/t/leads', () => ({})],
  ]
  it.each(surfaces)('%s', async (path, headers) => {
    if (path.includes('{account}')) await signIn('owner')
    const at = path.replace('{account}', String(scene.account.id)).replace('{slug}', scene.account.slug)
    const deep = await send(at, nested(33), headers())
    expect([deep.status, await deep.json()]).toEqual([
      422,
      { error: { code: 'validation_failed', message: 'a is nested deeper than 32 levels.' } },
    ])
    const shallow = await send(at, nested(32), headers())
    expect([shallow.status, await shallow.text()]).toEqual([
      422,
      expect.stringContaining('validation_failed'),
    ])
  })
})
