/** Protects what is decided beside a lock outside the ledger: the statement that waited must not act on what it saw before. */
import { describe, expect, it } from 'vitest'
import type { Db } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { reportConversion } from '../src/earning/conversions/report-conversion.ts'
import { reportSale } from '../src/earning/sales/report-sale.ts'
import { claimMails, insertMail } from '../src/mail/mail.store.ts'
import { updateAffiliate } from '../src/programme/affiliates/update-affiliate.ts'
import { updateCampaign } from '../src/programme/campaigns/update-campaign.ts'
import { invite } from '../src/programme/team/invitations.ts'
import { sweeps } from '../src/runtime/background/sweeps.ts'
import { disableEndpoints } from '../src/webhooks/delivery/delivery-queue.store.ts'
import { deleteExpiredListeners } from '../src/webhooks/endpoints/listen.ts'
import { renewListener } from '../src/webhooks/endpoints/listener.store.ts'
import { redeliver, replayEvents, sendTestEvent } from '../src/webhooks/endpoints/redeliver.ts'
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
} from '../src/webhooks/endpoints/webhook-endpoint.store.ts'
import { buildAffiliate, unique } from './factories.ts'
import { useOwnScene } from './harness.ts'
import { whileHeld } from './interleave.ts'

const scene = useOwnScene()
const owner = async (text: string, ...values: unknown[]) =>
  (await scene.database.owner.query(text, values)).rows

/** An endpoint with one event that was delivered to it. */
async function endpoint() {
  const { body } = await scene.api.post('/webhook_endpoints', {
    url: 'https://receiver.example/',
    events: ['promoter.approved'],
  })
  const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
  await scene.api.patch(`/affiliates/${id}`, { status: 'approved' })
  const [delivery] = await owner(
    `UPDATE deliveries SET status = 'delivered' WHERE endpoint_id = $1 RETURNING id::integer`,
    body.id,
  )
  const pending = async () =>
    (await owner(`SELECT 1 FROM deliveries WHERE endpoint_id = $1 AND status = 'pending'`, body.id)).length
  return { id: body.id as number, deliveryId: delivery.id as number, pending }
}
type Endpoint = Awaited<ReturnType<typeof endpoint>>

const DISTANT_PAST = { time: '2020-01-01T00:00:00.000Z' }
const promises: [string, (db: Db, endpoint: Endpoint) => Promise<unknown>][] = [
  ['redelivery', (db, { deliveryId }) => redeliver(db, scene.account.id, deliveryId)],
  ['replay', (db, { id }) => replayEvents(db, scene.account.id, id, DISTANT_PAST)],
  ['test event', (db, { id }) => sendTestEvent(db, scene.account.id, id)],
]
const ends = { disabled: disableWebhookEndpoint, deleted: deleteWebhookEndpoint }

describe.each(promises)('a %s', (_what, promise) => {
  it.each(['disabled', 'deleted'] as const)(
    'that waits while the endpoint is %s promises nothing',
    async end => {
      const target = await endpoint()
      const late = whileHeld(
        scene.database,
        tx => ends[end](tx, scene.account.id, target.id),
        () => promise(scene.database.db, target),
      )
      await expect(late).rejects.toMatchObject({ code: 'invalid_state' })
      expect(await target.pending()).toBe(0)
    },
  )

  it.each(['disabled', 'deleted'] as const)(
    'that is first is canceled when the endpoint is %s',
    async end => {
      const target = await endpoint()
      await whileHeld(
        scene.database,
        tx => promise(tx, target),
        () => scene.database.db.transaction(tx => ends[end](tx, scene.account.id, target.id)),
      )
      expect(await target.pending()).toBe(0)
    },
  )
})

it('two replays at once promise each event once', async () => {
  const { id, pending } = await endpoint()
  const replay = (db: Db) => replayEvents(db, scene.account.id, id, DISTANT_PAST)
  await whileHeld(scene.database, replay, () => replay(scene.database.db))
  const [{ events }] = await owner(
    `SELECT count(*)::integer AS events FROM events WHERE kind = 'promoter.approved' AND NOT is_test`,
  )
  expect(await pending()).toBe(events)
})

it('a listener that moves its time on while it is being ended lives', async () => {
  const { id } = await endpoint()
  await owner(`UPDATE webhook_endpoints SET listens_until = now() - interval '1 second' WHERE id = $1`, id)
  await whileHeld(
    scene.database,
    tx => renewListener(tx, scene.account.id, id, 30),
    () => deleteExpiredListeners(scene.database.db),
  )
  expect(
    await owner('SELECT 1 FROM webhook_endpoints WHERE id = $1 AND deleted_at IS NULL', id),
  ).toHaveLength(1)
})

it('an idempotency key that is reused while expired ones are swept keeps its response', async () => {
  const [{ id }] = await owner('SELECT id::integer FROM api_keys WHERE account_id = $1', scene.account.id)
  await owner(
    `INSERT INTO idempotency_keys (account_id, api_key_id, idempotency_key, request_hash, sealed_answer, created_at)
     VALUES ($1, $2, 'reused', 'hash', 'answer', now() - interval '25 hours')`,
    scene.account.id,
    id,
  )
  await whileHeld(
    scene.database,
    tx =>
      tx.many(sql`
        UPDATE idempotency_keys SET created_at = now()
         WHERE account_id = ${scene.account.id} AND idempotency_key = 'reused'`),
    async () => sweeps['idempotency keys']?.(scene.database.db),
  )
  expect(await owner(`SELECT 1 FROM idempotency_keys WHERE idempotency_key = 'reused'`)).toHaveLength(1)
})

it('of two invitations of one person at once the second takes the place of the first', async () => {
  const email = `${unique('invited')}@example.com`
  const [{ user_id: invitedBy }] = await owner(
    `WITH u AS (INSERT INTO users (email, email_key, password_hash) VALUES ($2, $2, 'none') RETURNING id)
     INSERT INTO memberships (account_id, user_id, role) SELECT $1, id, 'owner' FROM u RETURNING user_id::integer`,
    scene.account.id,
    `${unique('owner')}@example.com`,
  )
  const inviteAs = (db: Db, role: 'viewer' | 'admin') =>
    invite(db, 'https://programme.example', scene.account.id, { email, role, invitedBy })
  await whileHeld(
    scene.database,
    tx => inviteAs(tx, 'viewer'),
    () => inviteAs(scene.database.db, 'admin'),
  )
  expect(await owner('SELECT role FROM invitations WHERE email = $1', email)).toEqual([{ role: 'admin' }])
})

describe('an event', () => {
  const approve = async () => {
    const { id } = await buildAffiliate(scene.database, scene.account.id, scene.place.campaign_id)
    return (db: Db) => updateAffiliate(db, scene.account.id, id, { status: 'approved' })
  }

  it.each(['disabled', 'deleted'] as const)('promises nothing to an endpoint that is being %s', async end => {
    const target = await endpoint()
    const happen = await approve()
    await whileHeld(
      scene.database,
      tx => ends[end](tx, scene.account.id, target.id),
      () => happen(scene.database.db),
    )
    expect(await target.pending()).toBe(0)
  })

  it('that is recorded while a worker disables its endpoint is canceled', async () => {
    const { id, pending } = await endpoint()
    const failing = [{ account_id: scene.account.id, endpoint_id: id }]
    await whileHeld(scene.database, await approve(), () =>
      scene.database.db.transaction(tx => disableEndpoints(tx, { offsetMs: 0 }, failing)),
    )
    expect(await pending()).toBe(0)
  })
})

it('a mail that is being claimed is passed over', async () => {
  await scene.database.db.transaction(tx =>
    insertMail(tx, scene.account.id, {
      kind: 'joined',
      to: 'jane@example.com',
      fromName: null,
      replyTo: null,
      subject: 'Once',
      text: 'Once',
      html: 'Once',
    }),
  )
  const late = await whileHeld(
    scene.database,
    tx => claimMails(tx, 10),
    () => claimMails(scene.database.db, 10),
  )
  expect(late).toEqual([])
})

it('of two changes of a campaign at once both are kept', async () => {
  const { campaign_id } = scene.place
  await whileHeld(
    scene.database,
    tx => updateCampaign(tx, scene.account.id, campaign_id, { hold_days: 45 }),
    () => updateCampaign(scene.database.db, scene.account.id, campaign_id, { minimum_payout_minor: 700 }),
  )
  expect((await scene.api.get(`/campaigns/${campaign_id}`)).body).toMatchObject({
    hold_days: 45,
    minimum_payout_minor: 700,
  })
})

it('sales that share a commit beside the conversion of one customer all earn', async () => {
  const { id: accountId } = scene.account
  const { campaign_id } = scene.place
  const { id, token } = await buildAffiliate(scene.database, accountId, campaign_id)
  await scene.api.patch(`/affiliates/${id}`, { status: 'approved' })
  const convert = (db: Db, customer_ref: string) =>
    reportConversion(db, accountId, { campaign_id, customer_ref, token })
  const sell = async (customer_ref: string) => {
    const sale = { external_id: unique('sale'), amount_minor: 1000, currency: 'USD' }
    const { result } = await reportSale(scene.database.db, accountId, { ...sale, customer_ref })
    return result.commissions.length
  }
  const [customer, known] = [unique('customer'), unique('customer')]
  await convert(scene.database.db, known)
  const earned = await whileHeld(
    scene.database,
    tx => convert(tx, customer),
    () => Promise.all([sell(known), sell(customer), sell(known)]),
  )
  expect(earned).toEqual([1, 1, 1])
})
