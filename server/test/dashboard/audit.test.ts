/** Protects the memory of the account: who changed what, also when the change was refused half-way, and without any secret in it. */
import type { AuditEntry } from '@tributary/contract/dashboard'
import pino from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { auditedCommand } from '../../src/commands/audited-command.ts'
import { buildApp } from '../../src/http/app.ts'
import { hashPassword } from '../../src/programme/accounts/password.ts'
import { audited } from '../../src/programme/audit/record-change.ts'
import { makeResetLink } from '../../src/programme/team/reset-password.ts'
import { buildAccount, buildAffiliate, buildCampaign, buildPayout } from '../factories.ts'
import { type TestApp, useScene } from '../harness.ts'
import { Person } from './person.ts'
import { Visitor } from './visitor.ts'

const scene = useScene()
let owner: Person
let viewer: Person
beforeAll(async () => {
  owner = await Person.join(scene.app, scene.account.id, 'owner')
  viewer = await Person.join(scene.app, scene.account.id, 'viewer')
})

const list = async (query = {}, person = viewer): Promise<{ data: AuditEntry[]; next: number | null }> => {
  const { status, body } = await person.call('listAuditLog', { query })
  expect(status).toBe(200)
  return body
}
const actor = { kind: 'command', id: null, name: 'operator', address: null } as const
const line = (action: string, subjectId: number | null = null, details = {}) =>
  audited(
    scene.database.db,
    scene.account.id,
    actor,
    async () => undefined,
    () => ({ action, subjectId, details }),
  )

it('as a file has every line of the list, however many pages that takes', async () => {
  for (let i = 0; i < 205; i++) await line('file.line', i + 1, { text: '=1+1, "quoted"' })
  const { status, text: file } = await viewer.call('exportAuditLog', { query: { action: 'file.line' } })
  expect(status).toBe(200)
  const lines = file.trimEnd().split('\r\n')
  expect(lines[0]).toBe(
    'id,created_at,actor_kind,actor_id,actor_name,address,action,subject_id,details,subject',
  )
  expect(lines.slice(1).map(text => Number(text.split(',')[7]))).toEqual(
    Array.from({ length: 205 }, (_, i) => 205 - i),
  )
})

describe('the list', () => {
  it('tells who, what, whom, from where and when', async () => {
    const { body: key } = await owner.call('createApiKey', { body: { name: 'backend' } })
    const affiliate = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    await scene.api.patch(`/affiliates/${affiliate.id}`, { status: 'approved', token: 'jane' })
    await auditedCommand(
      scene.database.db,
      scene.account.id,
      async () => 7,
      subjectId => ({ action: 'payout.create', subjectId, details: { rail: 'manual' } }),
    )
    const { data } = await list({ limit: 3 })
    expect(data).toEqual([
      {
        id: expect.any(Number),
        actor_kind: 'command',
        actor_id: null,
        actor_name: expect.stringMatching(/./),
        address: null,
        action: 'payout.create',
        subject_id: 7,
        subject_kind: 'payout',
        objects: [],
        details: { rail: 'manual' },
        created_at: expect.any(String),
      },
      expect.objectContaining({
        actor_kind: 'api_key',
        actor_id: scene.account.keyId,
        actor_name: 'test',
        address: '127.0.0.1',
        action: 'affiliate.update',
        subject_id: affiliate.id,
        // It stands in every link of the affiliate.
        details: {
          status: 'approved',
          token: 'jane',
          before: { status: 'pending', token: affiliate.token },
        },
        objects: [{ kind: 'affiliate', id: affiliate.id, name: affiliate.email, currency: null }],
      }),
      expect.objectContaining({
        actor_kind: 'user',
        actor_name: owner.email,
        action: 'api_key.create',
        subject_id: key.id,
        details: { name: 'backend' },
      }),
    ])
  })

  it('names what an entry is about and what its details refer to, in this account only', async () => {
    const { database, account, place } = scene
    const other = await buildAccount(database)
    const foreign = await buildCampaign(database, other.id)
    const affiliate = await buildAffiliate(database, account.id, place.campaign_id, { name: 'Named' })
    const body = {
      affiliate_id: affiliate.id,
      campaign_id: place.campaign_id,
      amount_minor: 500,
      request_id: 'request',
    }
    const adjusted = await owner.call('adjustBalance', { body: { ...body, description: 'Bonus' } })
    expect(adjusted.status).toBe(200)
    const payoutId = await buildPayout(database, place)
    await line('payout.cancel', payoutId)
    await line('campaign.update', foreign.id)
    await line('affiliate.review', null, { ids: [affiliate.id, 999_999_999], status: 'approved' })
    const named = (await list({ limit: 4 })).data.map(({ action, subject_kind, objects }) => [
      action,
      subject_kind,
      objects.map(({ kind, name }) => `${kind} ${name}`).toSorted(),
    ])
    expect(named).toEqual([
      ['affiliate.review', 'affiliate', ['affiliate Named']],
      ['campaign.update', 'campaign', []],
      ['payout.cancel', 'payout', ['payout Programme']],
      ['commission.adjust', 'commission', ['affiliate Named', 'campaign Programme', 'commission Named']],
    ])
  })

  it('is paged both ways and filtered', async () => {
    for (const subject of [1, 2, 3, 4, 5]) await line('test.paged', subject)
    const seen: number[] = []
    for (let after: number | null | undefined; after !== null; ) {
      const page = await list({ action: 'test.paged', limit: 2, ...(after && { after }) })
      seen.push(...page.data.map(entry => entry.subject_id as number))
      after = page.next
    }
    expect(seen).toEqual([5, 4, 3, 2, 1])
    const oldest = await list({ action: 'test.paged', order: 'oldest' })
    expect(oldest.data.map(entry => entry.subject_id)).toEqual([1, 2, 3, 4, 5])
    expect((await list({ action: 'test.paged', subject_id: 3 })).data).toHaveLength(1)
    const people = await list({ actor_kind: 'user' })
    expect(new Set(people.data.map(entry => entry.actor_kind))).toEqual(new Set(['user']))
    for (const query of [{ actor_kind: 'robot' }, { limit: 0 }, { subject_id: 'x' }])
      expect((await viewer.call('listAuditLog', { query })).status).toBe(422)
  })

  it('shows nothing of another account', async () => {
    const other = await buildAccount(scene.database)
    const stranger = await Person.join(scene.app, other.id, 'owner')
    expect((await list({}, stranger)).data).toEqual([])
    expect((await stranger.at(scene.account.id).call('listAuditLog')).status).toBe(404)
  })
})

it('a change that is refused leaves no line, and a line that cannot be written leaves no change', async () => {
  const { data: before } = await list({ limit: 1 })
  expect((await owner.call('revokeApiKey', { id: 999_999 })).status).toBe(404)
  expect((await owner.call('createApiKey', { body: {} })).status).toBe(422)
  await expect(
    audited(
      scene.database.db,
      scene.account.id,
      actor,
      tx =>
        tx.transaction(inner =>
          inner.many({ text: "UPDATE accounts SET name = 'gone'", values: [] } as never),
        ),
      () => {
        throw new Error('no line')
      },
    ),
  ).rejects.toThrow('no line')
  expect((await owner.call('getAccount')).body.name).not.toBe('gone')
  expect((await list({ limit: 1 })).data).toEqual(before)
})

describe('an edit', () => {
  const edits = async (action: string, subject_id?: number) =>
    (await list({ action, order: 'oldest', ...(subject_id && { subject_id }) })).data.map(
      ({ details }) => details,
    )

  it('logs what it replaced, as it was stored, and nothing that stayed', async () => {
    const affiliate = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
      name: 'Old',
      tags: ['a'],
    })
    const body = { name: 'New', tags: ['B ', 'a'], email: affiliate.email }
    expect((await owner.call('updateAffiliate', { id: affiliate.id, body })).status).toBe(200)
    const [details] = await edits('affiliate.update', affiliate.id)
    expect(details).toMatchObject({ name: 'New', before: { name: 'Old', tags: ['a'] } })
    expect(Object.keys(details?.before as object).toSorted()).toEqual(['name', 'tags'])
  })

  it('of a campaign logs its terms and rules', async () => {
    const campaign = await buildCampaign(scene.database, scene.account.id, { hold_days: 30 })
    const body = { hold_days: 14, rewards: { commission: '25%', recurring_months: 12 } }
    expect((await owner.call('updateCampaign', { id: campaign.id, body })).status).toBe(200)
    const [details] = await edits('campaign.update', campaign.id)
    expect(details).toMatchObject({
      hold_days: 14,
      rewards: [{ rate_basis_points: 2500, recurring_months: 12 }],
      before: { hold_days: 30 },
    })
  })

  it('of the portal logs its settings', async () => {
    expect((await owner.call('updatePortal', { body: { colour: '#ABCDEF' } })).status).toBe(200)
    expect((await edits('portal.update')).at(-1)).toEqual({
      colour: '#abcdef',
      before: { colour: '#12755c' },
    })
  })

  it('at the same time as others logs the value that each of them replaced', async () => {
    const affiliate = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id, {
      name: 'name 0',
    })
    const names = Array.from({ length: 8 }, (_, n) => `name ${n + 1}`)
    await Promise.all(names.map(name => owner.call('updateAffiliate', { id: affiliate.id, body: { name } })))
    const logged = await edits('affiliate.update', affiliate.id)
    const replaced = logged.map(({ before }) => (before as { name: string }).name)
    // Each name was replaced once, except the last one.
    const { name: last } = (await owner.call('getAffiliate', { id: affiliate.id })).body
    expect([...replaced, last].toSorted()).toEqual(['name 0', ...names])
  })
})

it('only grows', async () => {
  await line('test.kept')
  for (const statement of ["UPDATE audit_log SET action = 'other'", 'DELETE FROM audit_log'])
    await expect(scene.database.owner.query(statement)).rejects.toThrow('the audit log only grows')
})

it('keeps the beginning of a long text, and nothing of a secret', async () => {
  await line('test.long', null, {
    csv: 'x'.repeat(5000),
    password: 'p',
    client_secret: 's',
    csrf_token: 't',
    key: 'k',
  })
  const { data } = await list({ action: 'test.long' })
  expect(data[0]?.details).toEqual({
    csv: `${'x'.repeat(1000)}… (5000 characters)`,
    password: '…',
    client_secret: '…',
    csrf_token: '…',
    key: '…',
  })
})

it('no secret stands in the audit log or in our own log', async () => {
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: text => logged.push(text) })
  const app = await buildApp({ services: scene.app.services, log })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address() as { port: number }
  const url = `http://127.0.0.1:${address.port}`
  const admin = await Person.join({ ...scene.app, url } as TestApp, scene.account.id, 'owner')
  try {
    const email = 'careful@example.com'
    const password = 'a password that must stay secret'
    await scene.database.owner.query(
      'INSERT INTO users (email, email_key, password_hash) VALUES ($1, $1, $2)',
      [email, await hashPassword(password)],
    )
    const visitor = new Visitor(url)
    await visitor.signIn(email, 'a wrong password that must stay secret')
    await visitor.signIn(email, password)
    await visitor.session()
    const link = (await makeResetLink(scene.database.db, url, email)) as string
    const reset = link.split('#')[1] as string
    const { body: key } = await admin.call('createApiKey', { body: { name: 'careful' } })
    const { body: endpoint } = await admin.call('createWebhookEndpoint', {
      body: { url: 'https://example.com/hook', events: ['payout.paid'] },
    })
    const credentials = { client_id: 'AZ-careful', client_secret: 'a-secret-of-PayPal' }
    await admin.call('setPayPalCredentials', { body: credentials })
    const invited = await admin.call('invite', { body: { email: 'other@example.com', role: 'viewer' } })
    await visitor.send('POST', 'password', { token: reset, password: 'a new password that must stay secret' })
    await visitor.send('POST', 'password', { token: reset, password: 'a new password that must stay secret' })
    const secrets = [
      'must stay secret',
      key.key,
      endpoint.secret,
      endpoint.secret.slice('whsec_'.length),
      credentials.client_secret,
      invited.body.link.split('#')[1],
      reset,
      visitor.csrf,
      visitor.cookies.get('tributary'),
    ] as string[]
    expect(secrets.every(secret => secret?.length > 10)).toBe(true)
    const { rows } = await scene.database.owner.query('SELECT audit_log::text AS text FROM audit_log')
    const everything = [...rows.map(({ text }) => text), ...logged].join('\n')
    expect(everything).toContain('AZ-careful')
    expect(logged.length).toBeGreaterThan(5)
    expect(secrets.filter(secret => everything.includes(secret))).toEqual([])
  } finally {
    await app.close()
  }
})
