import type { Campaign } from '@tributary/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { api } from './support/api.ts'
import { pidFile, postmasterPid } from './support/postgres-process.ts'
import { type Env, must, shell, tributary } from './support/program.ts'
import { lastLine } from './support/programme.ts'
import { type Service, serve } from './support/service.ts'
import { newDataDir } from './support/temporary.ts'

const API_KEY = /^trib_[0-9A-Za-z]{38}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** The goal is 3 s on a dedicated machine; the test shares two cores with others. */

let dataDir: string
let env: Env
let service: Service
let key: string

beforeAll(async () => {
  dataDir = await newDataDir()
  env = { TRIBUTARY_DATA_DIR: dataDir }
  service = await serve(env)
})

describe('the first start on an empty directory', () => {
  test('answers, and refuses its first call without a key by the error object', async () => {
    const refused = await fetch(`${service.url}/api/v1/campaigns`)
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { error: { code: 'unauthorized', message: expect.any(String) } },
    ])
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect((await fetch(service.url)).headers.get('content-type')).toContain('text/html')
  })

  test('prints one command, and that very command makes an account with a key that works', async () => {
    const printed = service.output.stdout.split('\n').filter(line => line.includes('account create'))
    expect(printed).toHaveLength(1)
    const { code, stdout, stderr } = await shell(printed[0] as string, env)
    expect(code, stderr).toBe(0)
    key = lastLine(stdout)
    expect(key).toMatch(API_KEY)
    expect(await api(service.url, key).campaigns.list().page()).toEqual({ data: [], has_more: false })
  })

  test('links are made from the address that it printed', async () => {
    const campaign = JSON.parse(
      await must(['campaign', 'create', '--account', '1', '--name', 'Links', '--json'], env),
    )
    const client = api(service.url, key)
    const { id } = await client.affiliates.create({ email: 'a@example.com', campaign_id: campaign.id })
    const { url } = await client.affiliates.createMagicLink(id)
    expect(url).toMatch(new RegExp(`^${service.url}/`))
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      servers: { url: string }[]
    }
    expect(document.servers[0]?.url).toBe(service.url)
  })

  test('the second start asks for no account', async () => {
    expect(await service.stop()).toBe(0)
    expect(pidFile(dataDir)).toBeUndefined()
    service = await serve(env)
    expect(service.output.stdout).not.toContain('account create')
    expect((await api(service.url, key).campaigns.list().page()).has_more).toBe(false)
  })
})

/** The same journey with and without a running server; the names must not clash. */
async function everyCommand(name: string): Promise<{ key: string; campaign: Campaign; accountId: string }> {
  const owner = ['--email', `${name}@example.com`, '--password', 'correct horse']
  const account = JSON.parse(await must(['account', 'create', '--name', name, ...owner, '--json'], env))
  expect(account).toEqual({ account_id: expect.any(Number), slug: name, user_id: expect.any(Number) })
  const accountId = String(account.account_id)
  const zone = ['account', 'update', '--account', accountId, '--time-zone', 'Europe/Berlin']
  expect(await must(zone, env)).toBe(
    `Updated account ${accountId} (${name}): ${name}, time zone Europe/Berlin.\n`,
  )

  const created = await must(['key', 'create', '--account', accountId, '--name', 'backend'], env)
  const madeKey = lastLine(created)
  expect(madeKey).toMatch(API_KEY)
  const list = ['key', 'list', '--account', accountId, '--json']
  expect(JSON.parse(await must(list, env))).toEqual([
    {
      id: expect.any(Number),
      name: 'backend',
      last_four: madeKey.slice(-4),
      created_at: expect.stringMatching(TIMESTAMP),
      last_used_at: null,
      revoked_at: null,
      created_by: expect.any(String),
    },
  ])
  const campaign = await must(
    ['campaign', 'create', '--account', accountId, '--name', 'Q & A', '--json'],
    env,
  )
  return { key: madeKey, campaign: JSON.parse(campaign), accountId }
}

describe('account, key and campaign commands', () => {
  test('work while the server runs', async () => {
    const { key, campaign, accountId } = await everyCommand('running')
    expect(await api(service.url, key).campaigns.get(campaign.id)).toEqual(campaign)
    expect(campaign).toEqual({
      id: expect.any(Number),
      name: 'Q & A',
      slug: 'q-a',
      program_type: 'affiliate',
      visibility: 'private',
      payout_currency: 'USD',
      attribution_model: 'last_click',
      attribution_window_days: 60,
      hold_days: 30,
      minimum_payout_minor: 5000,
      open_enrollment: false,
      destination_url: null,
      created_at: expect.stringMatching(TIMESTAMP),
    })
    const [{ id, last_used_at }] = JSON.parse(
      await must(['key', 'list', '--account', accountId, '--json'], env),
    )
    expect(last_used_at).toMatch(TIMESTAMP)
    await must(['key', 'revoke', '--account', accountId, '--id', String(id)], env)
    const [revoked] = JSON.parse(await must(['key', 'list', '--account', accountId, '--json'], env))
    expect(revoked.revoked_at).toMatch(TIMESTAMP)
  })

  test('every option of campaign create arrives', async () => {
    const terms = {
      slug: 'friends-2026',
      program_type: 'referral',
      visibility: 'public',
      payout_currency: 'JPY',
      attribution_model: 'first_click',
      attribution_window_days: 7,
      hold_days: 0,
      minimum_payout_minor: 0,
      destination_url: 'https://example.com/pricing?a=1',
    }
    const options = Object.entries(terms).flatMap(([name, value]) => [
      `--${name.replaceAll('_', '-')}`,
      String(value),
    ])
    const args = ['campaign', 'create', '--account', '1', '--name', 'Friends', '--json']
    const { code, stdout, stderr } = await tributary(
      [...args, ...options, '--open-enrollment', '--commission', '500 USD'],
      env,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const campaign = JSON.parse(stdout) as Campaign
    expect(campaign).toMatchObject({ name: 'Friends', ...terms, open_enrollment: true })
    expect(await api(service.url, key).campaigns.get(campaign.id)).toEqual(campaign)
    const plain = await must(
      ['campaign', 'create', '--account', '1', '--name', 'Plain', '--commission', '12.5%'],
      env,
    )
    expect(plain).toMatch(/^Created campaign \d+ \(plain\), commission 12\.5%\.\n$/)
  })

  test('work when no server runs, and leave no PostgreSQL behind', async () => {
    expect(await service.stop()).toBe(0)
    const { key, campaign } = await everyCommand('stopped')
    expect(postmasterPid(dataDir)).toBeUndefined()
    service = await serve(env)
    expect(await api(service.url, key).campaigns.get(campaign.id)).toEqual(campaign)
  })
})
