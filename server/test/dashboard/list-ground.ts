import { expect } from 'vitest'
import { insertEvents, recordState } from '../../src/connectors/connector-event.store.ts'
import { writeMail } from '../../src/mail/write-mail.ts'
import { audited } from '../../src/programme/audit/record-change.ts'
import { emit } from '../delivery/scene.ts'
import { unique } from '../factories.ts'
import type { Scene } from '../harness.ts'
import { convert, openCampaign } from '../ledger/scene.ts'
import { create, owe, owed } from '../payouts/ground.ts'
import { Person } from './person.ts'

/** An account with at least two rows in every list, one of which a filter leaves out. Its text is a formula wherever it may be. */
export interface ListGround {
  scene: Scene
  owner: Person
  /** Stands in every row that can bear a text. */
  mark: string
  campaignId: number
  affiliateId: number
  payoutId: number
  connectorId: number
  secrets: string[]
}

async function programme(scene: Scene, mark: string, visibility: 'public' | 'private') {
  const terms = { name: `=${mark}`, minimum_payout_minor: 1000, visibility }
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await owed(scene, campaign, [5000], { name: `=${mark}` })
  await owed(scene, campaign, [7000], { name: `+${mark}` })
  const { id: payoutId } = await create(scene, campaign)
  await owe(scene, campaign, affiliate, 2000)
  await owed(scene, campaign, [999], { name: `@${mark}` })
  for (const token of [affiliate.token, 'unknown-token']) {
    const sale = { external_id: unique(`=${mark}`), amount_minor: 1234, currency: 'USD' }
    const customer_ref = unique(`=${mark}`)
    const report = { campaign_id: campaign.id, customer_ref, token, sale }
    expect((await convert(scene.api, report)).status).toBeLessThan(300)
  }
  return { campaignId: campaign.id, affiliateId: affiliate.id, payoutId }
}

/** A connector with an event that is due and one that was ignored. */
async function billingEvents({ database: { db }, account }: Scene, owner: Person, mark: string) {
  const { id } = (await owner.call('createConnector', { body: { provider: 'stripe' } })).body
  await owner.call('setConnectorSecrets', { id, body: { signing_secret: `signing secret of ${mark}` } })
  const occurredAt = '2026-01-01T00:00:00.000Z'
  const ofConnector = { accountId: account.id, connectorId: id, body: '{}' }
  for (const name of ['one', 'two']) {
    const event = { id: `=${mark} ${name}`, type: 'invoice.paid', occurredAt }
    await insertEvents(db, [{ ...ofConnector, event }])
  }
  const { data } = (await owner.call('listConnectorEvents', { id })).body
  const made = { waitsFor: null, referralId: null, saleExternalId: null, refundExternalId: null }
  const ignored = { status: 'ignored', reason: { code: 'zero_amount' }, dueInSeconds: null, ...made } as const
  await db.transaction(tx => recordState(tx, account.id, data[0], ignored))
  return id
}

export async function fillLists(scene: Scene, mark: string): Promise<ListGround> {
  const { database, account } = scene
  const owner = await Person.join(scene.app, account.id, 'owner')
  await programme(scene, mark, 'private')
  const ids = await programme(scene, mark, 'public')
  const endpoints = []
  for (const each of ['one', 'two']) {
    const body = { url: `https://example.com/${mark}/${each}`, events: ['promoter.approved'] }
    endpoints.push((await owner.call('createWebhookEndpoint', { body })).body)
  }
  await emit(database.db, account.id)
  await owner.call('switchWebhookEndpoint', { id: endpoints[1].id, body: { status: 'disabled' } })
  const key = (await owner.call('createApiKey', { body: { name: `=${mark}` } })).body
  const invited = await owner.call('invite', { body: { email: `+${mark}@example.com`, role: 'viewer' } })
  const mail = { kind: 'affiliate_approved', lines: ['Welcome.'] }
  for (const subject of [`=${mark}`, `\t${mark}`])
    await database.db.transaction(tx => writeMail(tx, account.id, 'a@example.com', { ...mail, subject }))
  const actor = { kind: 'command', id: null, name: `=${mark}`, address: null } as const
  const line = { action: 'test.line', subjectId: null, details: { text: '=1+1, "quoted"' } }
  await audited(
    database.db,
    account.id,
    actor,
    async () => undefined,
    () => line,
  )
  const connectorId = await billingEvents(scene, owner, mark)
  await database.owner.query(
    `INSERT INTO connector_credits (account_id, connector_id, commission_id, amount_minor, customer, balance_minor, balance_currency, external_id, due_at)
     SELECT $1, $2, c.id, x.minor, $3, x.minor, 'USD', 'cbtxn_1', NULL
       FROM (SELECT min(id) AS id FROM commissions WHERE account_id = $1) c, (VALUES (100), (-40)) AS x (minor)`,
    [account.id, connectorId, `=${mark}`],
  )
  await database.owner.query(
    `INSERT INTO connector_codes (account_id, connector_id, affiliate_id, code, code_key, due_at)
     SELECT $1, $2, a.id, $3 || x.place, x.place, NULL
       FROM (SELECT min(id) AS id FROM affiliates WHERE account_id = $1) a, (VALUES ('1'), ('2')) AS x (place)`,
    [account.id, connectorId, `=${mark}`],
  )
  await database.owner.query(
    `INSERT INTO signals (account_id, affiliate_id, kind, score, evidence, weight, status)
     SELECT $1, a.id, x.kind, 40, '{"parts": [], "affiliates": []}', 3, x.status
       FROM affiliates a, (VALUES ('shared_network', 'open'), ('click_velocity', 'closed')) AS x (kind, status)
      WHERE a.account_id = $1 AND a.name = '=' || $2`,
    [account.id, mark],
  )
  await database.owner.query(
    `INSERT INTO clicks (account_id, campaign_id, affiliate_id, is_bot, landing_url, created_at)
     SELECT $1, e.campaign_id, e.affiliate_id, false, 'https://shop.example/?utm_source=' || $2, now()
       FROM enrolments e WHERE e.account_id = $1`,
    [account.id, `=${mark}`],
  )
  const secrets = [
    `signing secret of ${mark}`,
    account.key,
    key.key,
    ...endpoints.map(({ secret }) => secret),
    invited.body.link.split('#')[1],
  ]
  return { scene, owner, mark, ...ids, connectorId, secrets }
}
