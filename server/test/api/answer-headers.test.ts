/** Protects browsers: every route of every surface says what its answer is, who may load it and whether it may be kept, errors too. */
import diagnostics from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { csrfToken } from '../../src/kit/tokens.ts'
import { mintMagicLink } from '../../src/programme/magic-links/mint-magic-link.ts'
import { startSession } from '../../src/programme/team/sessions.ts'
import { startApp, useOwnScene } from '../harness.ts'
import { rawRequest, sendRaw } from '../raw-http.ts'

const routes: Pick<RouteOptions, 'method' | 'url'>[] = []
const watch = (message: unknown) =>
  (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, url })
  })
diagnostics.subscribe('fastify.initialization', watch)

const scene = useOwnScene()
/** What may be kept: it is the same for everybody. Everything else is not to be. */
const kept =
  /^\/(docs|openapi\.json|tracker\.js|assets|web\/assets|sdk\/|favicon\.ico|dashboard$|dashboard\/\*|portal\/:slug(\/(logo|favicon|creative\/).*|\/?\*?)?$)/

let callers: Record<string, Record<string, string>>
beforeAll(async () => {
  const { owner, db } = scene.database
  const { rows } = await owner.query(
    "INSERT INTO users (email, email_key, password_hash) VALUES ('o@example.com', 'o@example.com', 'none') RETURNING id",
  )
  await owner.query("INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, 'owner')", [
    scene.account.id,
    rows[0].id,
  ])
  const token = await startSession(
    db,
    { id: Number(rows[0].id), password_hash: 'none' },
    { address: '127.0.0.1', userAgent: null },
  )
  const { url } = await mintMagicLink(scene.app.services, scene.account.id, scene.place.affiliate_id)
  const opened = await fetch(scene.app.url + new URL(url).pathname, { method: 'POST', redirect: 'manual' })
  const portal = opened.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { origin } = new URL(scene.app.url)
  callers = {
    'without credentials': {},
    'with credentials': {
      authorization: `Bearer ${scene.account.key}`,
      cookie: `tributary=${token}; ${portal}`,
      'tributary-csrf': csrfToken(token),
      origin,
    },
  }
})

/** The path of a route with what there is in the place of its parameters. */
function concrete(url: string): string {
  const account = url.startsWith('/r/') ? scene.account.slug : String(scene.account.id)
  return url
    .replace(':slug', scene.account.slug)
    .replace(':account', account)
    .replace(/:\w+/g, '1')
    .replace('*', 'x')
}

function assertHeaders(what: string, url: string, { status, headers }: Response): void {
  const header = (name: string) => headers.get(name) ?? ''
  const type = header('content-type')
  expect([what, status < 500]).toEqual([what, true])
  expect([what, header('x-content-type-options')]).toEqual([what, 'nosniff'])
  expect([what, header('request-id')]).toEqual([what, expect.stringMatching(/.{36}/)])
  if (!kept.test(url) || status >= 400) expect([what, header('cache-control')]).toEqual([what, 'no-store'])
  else expect([what, header('cache-control')]).toEqual([what, expect.stringMatching(/no-cache|max-age/)])
  if (!type.startsWith('text/html')) return
  expect([what, header('cross-origin-opener-policy')]).toEqual([what, 'same-origin'])
  expect([what, header('cross-origin-resource-policy')]).toEqual([what, 'same-origin'])
  expect([what, header('referrer-policy')]).toEqual([what, 'no-referrer'])
  expect([what, header('content-security-policy')]).toEqual([
    what,
    expect.stringContaining("default-src 'none'"),
  ])
}

describe('every route', { timeout: 120_000 }, () => {
  it.each(['without credentials', 'with credentials'])('%s', async who => {
    expect(routes.length).toBeGreaterThan(120)
    // The last two end a session that others need.
    const asked = routes.filter(({ method, url }) => method !== 'DELETE' || !/sessions?$/.test(url))
    const ask = async ({ method, url }: (typeof routes)[number]) => {
      const takesBody = method !== 'GET' && method !== 'HEAD'
      const response = await fetch(scene.app.url + concrete(url), {
        method: String(method),
        redirect: 'manual',
        headers: { ...callers[who], ...(takesBody && { 'content-type': 'application/json' }) },
        ...(takesBody && { body: '{}' }),
      })
      assertHeaders(`${method} ${url}`, url, response)
      await response.arrayBuffer()
    }
    for (let at = 0; at < asked.length; at += 16) await Promise.all(asked.slice(at, at + 16).map(ask))
  })
})

it('what is hardly a request', async () => {
  for (const bytes of [
    'noise\r\n\r\n',
    rawRequest('GET /%zz HTTP/1.1'),
    rawRequest('GET /api/v1/%zz HTTP/1.1'),
  ]) {
    const answer = await sendRaw(scene.app.url, bytes)
    expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
    expect(answer).toMatch(/^cache-control: no-store\r$/im)
  }
})

it('what other sites load says that they may', async () => {
  const policyOf = async (path: string) => {
    const response = await fetch(scene.app.url + path)
    await response.arrayBuffer()
    return response.headers.get('cross-origin-resource-policy')
  }
  expect(await policyOf('/tracker.js')).toBe('cross-origin')
  expect(await policyOf('/assets/style.css')).toBe('same-origin')
})

describe('Strict-Transport-Security', () => {
  const hstsOf = async (env: NodeJS.ProcessEnv, path = '/api/v1/affiliates') => {
    const app = await startApp(scene.database, env)
    const response = await fetch(app.url + path)
    await response.arrayBuffer()
    await app.close()
    return response.headers.get('strict-transport-security')
  }
  it('is a setting, and off by default', async () => {
    expect(await hstsOf({})).toBeNull()
    expect(await hstsOf({ TRIBUTARY_HSTS_SECONDS: '31536000' })).toBe('max-age=31536000')
    expect(await hstsOf({ TRIBUTARY_HSTS_SECONDS: '60' }, '/docs')).toBe('max-age=60')
  })
})
