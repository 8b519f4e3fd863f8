import { beforeAll, describe, expect, test } from 'vitest'
import { api, statusOf } from './support/api.ts'
import { type Env, must, tributary } from './support/program.ts'
import { type Service, serve } from './support/service.ts'
import { preparedDataDir } from './support/shared.ts'

/** What an operator does for people who sign in, and that everything done by command is on record for them to read. */
const EMAIL = 'owner@acme.example'
let env: Env
let service: Service
let account: string
let userId: number
let cookie: string

beforeAll(async () => {
  const { dataDir } = await preparedDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir }
  service = await serve(env)
  const owner = ['--email', EMAIL, '--password', 'correct horse']
  const created = await must(
    ['account', 'create', '--name', 'Acme', ...owner, '--key-name', 'backend', '--json'],
    env,
  )
  const { account_id, user_id } = JSON.parse(created) as Record<'account_id' | 'user_id', number>
  account = String(account_id)
  userId = user_id
})

const send = (method: string, path: string, body?: object) =>
  fetch(`${service.url}/dashboard/api/${path}`, {
    method,
    headers: { origin: service.url, 'content-type': 'application/json', ...(cookie && { cookie }) },
    ...(body && { body: JSON.stringify(body) }),
  })

const signIn = async (password: string) => {
  const response = await send('POST', 'session', { email: EMAIL, password })
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return response.status
}

describe('user', () => {
  test('list shows who is on the team', async () => {
    expect(JSON.parse(await must(['user', 'list', '--account', account, '--json'], env))).toEqual([
      { id: userId, email: EMAIL, name: null, role: 'owner', created_at: expect.any(String) },
    ])
    expect(await must(['user', 'list', '--account', account], env)).toBe(`${userId}  ${EMAIL}  owner\n`)
    const { code, stderr } = await tributary(['user', 'list', '--account', '7'], env)
    expect([code, stderr]).toEqual([1, 'There is no such account.\n'])
  })

  test('reset prints a link that sets a new password, once', async () => {
    const { stdout, stderr } = await tributary(['user', 'reset', '--email', EMAIL.toUpperCase()], env)
    expect(stderr).toContain('Single-use link')
    const token = /^http:\/\/\S+\/dashboard\/reset#([\w-]{43})\n$/.exec(stdout)?.[1]
    const set = () => send('POST', 'password', { token, password: 'another horse' })
    expect([(await set()).status, (await set()).status]).toEqual([200, 409])
    expect([await signIn('correct horse'), await signIn('another horse')]).toEqual([401, 200])
    const unknown = await tributary(['user', 'reset', '--email', 'unknown@acme.example'], env)
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'There is no such user.\n' })
  })
})

test('what commands change is in the audit log, by the user who ran them', async () => {
  const run = async (...args: string[]) =>
    JSON.parse(await must([...args, '--account', account, '--json'], env))
  const key = (await must(['key', 'create', '--account', account, '--name', 'shop'], env)).trim()
  await must(['key', 'revoke', '--account', account, '--id', '3'], env)
  const campaign = await run('campaign', 'create', '--name', 'Partners', '--minimum-payout-minor', '0')
  expect(await statusOf(api(service.url, key).campaigns.list().page())).toBe(401)

  const client = api(
    service.url,
    (await must(['key', 'create', '--account', account, '--name', 'again'], env)).trim(),
  )
  const affiliate = await client.affiliates.create({
    email: 'jane@example.com',
    campaign_id: campaign.id,
  })
  await client.affiliates.update(affiliate.id, { status: 'approved' })
  const endpoint = await client.webhookEndpoints.create({
    url: 'http://127.0.0.1:9/',
    events: ['payout.paid'],
  })
  const of = ['--affiliate', String(affiliate.id), '--campaign', String(campaign.id)]
  await run('adjust', ...of, '--amount-minor', '700', '--description', 'A welcome')
  const payout = await run('payout', 'create', '--campaign', String(campaign.id))
  await must(['payout', 'export', '--account', account, '--id', String(payout.id)], env)
  await run('payout', 'pay', '--id', String(payout.id), '--reference', 'SEPA 1')
  await run('webhook', 'disable', '--endpoint', String(endpoint.id))
  // Nothing was changed, so nothing is written down.
  expect(
    (await tributary(['payout', 'cancel', '--account', account, '--id', String(payout.id)], env)).code,
  ).toBe(1)

  await signIn('another horse')
  const page = (await (
    await send('GET', `accounts/${account}/audit_log?order=oldest&actor_kind=command`)
  ).json()) as {
    data: { action: string; subject_id: number; actor_name: string; details: object }[]
  }
  const lines = page.data
  expect(lines.map(({ action }) => action)).toEqual([
    'account.create',
    'api_key.create',
    'api_key.create',
    'api_key.revoke',
    'campaign.create',
    'api_key.create',
    'commission.adjust',
    'payout.create',
    'payout.export',
    'payout.pay',
    'webhook_endpoint.switch',
  ])
  expect(new Set(lines.map(({ actor_name }) => actor_name)).size).toBe(1)
  expect(lines.at(0)).toMatchObject({ subject_id: Number(account), details: { name: 'Acme', email: EMAIL } })
  expect(lines.at(-2)).toMatchObject({ subject_id: payout.id, details: { reference: 'SEPA 1' } })
  expect(JSON.stringify(lines)).not.toMatch(/trib_|correct horse/)
})
