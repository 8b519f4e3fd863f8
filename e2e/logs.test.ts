/**
 * Protects secrets and makes requests traceable: even at the most verbose level the log has no secret, and it has the Request-Id
 * of every response.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner } from './support/embedded-sql.ts'
import { type Env, must } from './support/program.ts'
import { lastLine, type Programme } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'
import { until } from './support/until.ts'

interface Line {
  level: number
  msg: string
  request_id?: string
  account_id?: number
  method?: string
  route?: string
  status?: number
  ms?: number
  err?: Record<string, unknown>
}

interface Asked {
  method: string
  status: number
  id: string
}

const OWNER = 'owner@acme.example'
const PASSWORD = 'the horse that is secret'
let dataDir: string
let service: Service
let programme: Programme
let receiver: Server
const asked: Asked[] = []
/** What must not be found, by what it is. */
const secrets: Record<string, string> = {}

/** A request whose answer is remembered by its Request-Id. */
async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const response = await fetch(service.url + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.text()
  const found = { method, status: response.status, id: response.headers.get('request-id') as string }
  asked.push(found)
  return { ...found, headers: response.headers, body: answer.startsWith('{') ? JSON.parse(answer) : answer }
}

const key = () => ({ authorization: `Bearer ${programme.key}` })
const basic = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:`).toString('base64')}` })
const loose = { origin: '' }
const lines = () =>
  service.output.stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Line)
const lineOf = (id: string, msg: string) => lines().filter(line => line.request_id === id && line.msg === msg)

beforeAll(async () => {
  ;({ dataDir, programme } = await preparedDataDir())
  Object.assign(secrets, {
    'secret key': readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(),
    'mail password': 'mail-server-password',
    'rates token': 'rates-address-token',
  })
  const env: Env = {
    TRIBUTARY_DATA_DIR: dataDir,
    LOG_LEVEL: 'trace',
    TRIBUTARY_SECRET_KEY: secrets['secret key'] as string,
    // Nothing listens there, so failures are logged.
    TRIBUTARY_SMTP_URL: `smtp://mailer:${secrets['mail password']}@127.0.0.1:1`,
    TRIBUTARY_FX_URL: `http://127.0.0.1:1/rates?token=${secrets['rates token']}`,
  }
  service = await serve(env)
  const quiet = { ...env, LOG_LEVEL: 'warn' }
  const owner = ['--email', OWNER, '--password', PASSWORD]
  await must(['account', 'create', '--name', 'Acme', ...owner], quiet)
  loose.origin = service.url
  const reset = lastLine(await must(['user', 'reset', '--email', OWNER], quiet))
  const passwords = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as Record<string, string>
  Object.assign(secrets, {
    'API key': programme.key,
    'API key in Basic': Buffer.from(`${programme.key}:`).toString('base64'),
    password: PASSWORD,
    'reset token': reset.split('#')[1],
    'database password': passwords.service,
    'owner’s database password': passwords.owner,
  })
  receiver = createServer((_request, response) => {
    response.statusCode = 500
    response.end(`an answer with ${secrets['API key']} and receivers-own-secret`)
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  secrets['answer of a receiver'] = 'receivers-own-secret'
})
afterAll(() => {
  receiver?.close()
})

describe('at the most talkative level', () => {
  test('requests with keys, passwords, tokens and cookies', async () => {
    const { campaignId } = programme
    const wrongKey = `trib_${'w'.repeat(38)}`
    secrets['a wrong API key'] = wrongKey
    secrets['a private address'] = 'private.person@example.com'
    const person = { email: secrets['a private address'], campaign_id: campaignId, token: 'jane' }
    const made = await ask('POST', '/api/v1/affiliates', { ...key(), 'idempotency-key': 'once' }, person)
    expect(made.status).toBe(201)
    await ask('PATCH', `/api/v1/affiliates/${made.body.id}`, key(), { status: 'approved' })
    await ask('GET', '/api/v1/affiliates', basic(programme.key))
    await ask('GET', '/api/v1/affiliates', { authorization: `Bearer ${wrongKey}` })
    await ask('GET', `/api/v1/affiliates?api_key=${programme.key}`)
    await ask('GET', `/api/v1/${programme.key}`, key())
    await ask('GET', `/nowhere/${programme.key}?key=${programme.key}`)

    const link = (await ask('POST', `/api/v1/affiliates/${made.body.id}/magic_link`, key())).body
      .url as string
    secrets['magic link'] = link.split('/').at(-1) as string
    await ask('GET', new URL(link).pathname)
    await ask('POST', new URL(link).pathname)

    const signIn = { email: OWNER, password: PASSWORD }
    secrets['a wrong password'] = 'a mistyped password'
    const wrong = { ...signIn, password: secrets['a wrong password'] }
    expect((await ask('POST', '/dashboard/api/session', loose, wrong)).status).toBe(401)
    const signedIn = await ask('POST', '/dashboard/api/session', loose, signIn)
    expect(signedIn.status).toBe(200)
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] as string
    secrets['session cookie'] = cookie.split('=')[1] as string
    await ask('GET', '/dashboard/api/session', { cookie })
    expect((await ask('GET', '/dashboard/api/accounts/2/campaigns', { cookie })).status).toBe(200)
    const reset = { token: secrets['reset token'], password: 'another horse that is secret' }
    secrets['the new password'] = reset.password
    await ask('POST', '/dashboard/api/password', loose, reset)
    await ask('GET', `/r/${programme.slug}/jane?to=https://shop.example/`)
    expect(asked.filter(({ status }) => status >= 500)).toEqual([])
  })

  test('an event that a receiver with a secret address refuses', async () => {
    secrets['address of a receiver'] = 'T0KENINTHEPATH'
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${secrets['address of a receiver']}?k=v`
    const endpoint = { url: address, events: ['promoter.approved'] }
    const { body } = await ask('POST', '/api/v1/webhook_endpoints', key(), endpoint)
    secrets['webhook secret'] = body.secret
    const person = { email: 'joe@example.com', campaign_id: programme.campaignId }
    const { id } = (await ask('POST', '/api/v1/affiliates', key(), person)).body
    await ask('PATCH', `/api/v1/affiliates/${id}`, key(), { status: 'approved' })
    await until('the attempt is logged', () => lines().some(({ msg }) => msg === 'delivery attempt'))
  })

  test('an internal error: found by the response’s Request-Id, without the rejected row', async () => {
    secrets['a refused row'] = 'refused.row@example.com'
    const refuse = `ALTER TABLE affiliates ADD CONSTRAINT refused CHECK (email <> '${secrets['a refused row']}')`
    await asOwner(dataDir, refuse)
    const person = { email: secrets['a refused row'], campaign_id: programme.campaignId }
    const failed = await ask('POST', '/api/v1/affiliates', key(), person)
    expect(failed.status).toBe(500)
    await until('its line', () => lineOf(failed.id, 'request failed').length > 0)
    expect(lineOf(failed.id, 'request failed')).toMatchObject([
      {
        level: 50,
        method: 'POST',
        route: '/api/v1/affiliates',
        account_id: programme.accountId,
        err: { code: '23514', constraint: 'refused', stack: expect.stringContaining('Transaction.many') },
      },
    ])
  })

  test('what is not even a request has a line too', async () => {
    const bad = await ask('GET', '/api/v1/affiliates/%ff', key())
    expect(bad.status).toBe(404)
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.write(`NONSENSE ${programme.key}\r\n\r\n`)
    const id = /^request-id: (\S+)/im.exec(await text(socket))?.[1] as string
    await until('its line', () => lineOf(id, 'malformed HTTP request').length === 1)
  })

  test('every response has one line, with its details and account', async () => {
    const without = () => asked.filter(({ id }) => lineOf(id, 'request finished').length !== 1)
    await until('all lines', () => without().length === 0)
    for (const { id, method, status } of asked)
      expect(lineOf(id, 'request finished')).toMatchObject([{ method, status, ms: expect.any(Number) }])
    const finished = lines().filter(({ msg }) => msg === 'request finished')
    expect(
      finished.filter(({ route }) => route === '/api/v1/affiliates/:id').map(({ account_id }) => account_id),
    ).toEqual(Array(2).fill(programme.accountId))
    expect(
      finished.filter(({ route }) => route?.endsWith('/campaigns')).map(({ account_id }) => account_id),
    ).toEqual([2])
  })

  test('no secret is in any of it', () => {
    const { stdout, stderr } = service.output
    expect(lines().length).toBeGreaterThan(asked.length)
    expect(Object.values(secrets).filter(secret => (secret?.length ?? 0) < 8)).toEqual([])
    const found = Object.entries(secrets).filter(([, secret]) => (stdout + stderr).includes(secret))
    expect(found.map(([what]) => what)).toEqual([])
  })
})
