import type { Affiliate, Campaign } from '@tributary/contract'
import pino from 'pino'
import Stripe from 'stripe'
import { expect } from 'vitest'
import { presentEvent } from '../../src/connectors/connector.presenter.ts'
import type { ConnectorRow } from '../../src/connectors/connector.store.ts'
import { listEvents } from '../../src/connectors/connector-event.store.ts'
import { type AddConnector, addConnector } from '../../src/connectors/manage-connectors.ts'
import { processNextEvent } from '../../src/connectors/process-events.ts'
import type { Db } from '../../src/db/database.ts'
import { unique } from '../factories.ts'
import type { Scene } from '../harness.ts'
import { approvedAffiliate, openCampaign, type Terms } from '../ledger/scene.ts'
import { beacon } from '../tracking/scene.ts'
import { providers } from './provider-deliveries.ts'
import type { StripeEvent } from './stripe-objects.ts'

export const SECRET = 'whsec_of_the_tests'
export const log = pino({ level: 'fatal' })

export interface Billing {
  connector: ConnectorRow
  campaign: Campaign
  affiliate: Affiliate & { coupon_code: string }
}

/** A connector, for Stripe unless told otherwise, and an affiliate who earns 20% without a hold. */
export async function connectBilling(
  scene: Scene,
  { terms = {}, ...overrides }: Partial<AddConnector> & { terms?: Terms } = {},
): Promise<Billing> {
  const campaign = await openCampaign(scene.database, scene.account.id, terms)
  const affiliate = await approvedAffiliate(scene, campaign.id)
  const connector = await addConnector(scene.database.db, scene.app.services.secrets, scene.account.id, {
    provider: 'stripe',
    signingSecret: SECRET,
    ...overrides,
  })
  return { connector, campaign, affiliate }
}
export const connectStripe = connectBilling

/** A body signed by Stripe's own library. */
export function signed(payload: string, secret = SECRET, timestamp = Math.floor(Date.now() / 1000)) {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
}

export const deliver = (
  scene: Scene,
  { id }: { id: number },
  body: string,
  headers: Record<string, string> = { 'stripe-signature': signed(body) },
  path = `/connect/stripe/${id}`,
) =>
  fetch(`${scene.app.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })

/** Delivers events one after the other, as Stripe does; each is answered 200. */
export async function send(scene: Scene, { connector }: Billing, ...events: StripeEvent[]): Promise<void> {
  for (const event of events)
    expect((await deliver(scene, connector, JSON.stringify(event))).status).toBe(200)
}

/** Delivers an event of Paddle to a connector whose secret is `secret`, and processes it. */
export async function sendPaddle(
  scene: Scene,
  { connector }: Billing,
  type: string,
  occurred_at: string,
  data: object,
): Promise<void> {
  const { sign } = providers.find(({ name }) => name === 'paddle') as (typeof providers)[number]
  const text = JSON.stringify({ event_id: unique('evt'), event_type: type, occurred_at, data })
  const path = `/connect/paddle/${connector.id}`
  expect((await deliver(scene, connector, text, sign(text, 'secret'), path)).status).toBe(200)
  await work(scene)
}

/** Processes the next event, if one is due. */
export const workOnce = ({ app: { services }, database }: Scene, db: Db = database.db): Promise<boolean> =>
  processNextEvent(db, log, services.secrets.key('lead email'))

/** Processes whatever is due. */
export async function work(scene: Scene): Promise<void> {
  while (await workOnce(scene));
}

/** Lets the wait of postponed events pass. */
export async function passWait({ database, account }: Scene): Promise<void> {
  await database.owner.query(
    `UPDATE connector_events SET received_at = received_at - interval '15 minutes', due_at = now()
      WHERE account_id = $1 AND status = 'received' AND attempts > 0`,
    [account.id],
  )
}

export async function events(scene: Scene, { connector }: Billing) {
  const rows = await listEvents(scene.database.db, scene.account.id, connector.id, { limit: 1000 })
  return rows.map(presentEvent)
}

/** The outcome of one event. */
export async function outcome(scene: Scene, billing: Billing, { id }: { id: string }) {
  const found = (await events(scene, billing)).find(({ provider_id }) => provider_id === id)
  return found && { status: found.status, reason: found.reason }
}

/** What the affiliate's sales earned after all refunds, by sale. */
export async function earnedBySale({ database, account }: Scene, { affiliate }: Billing) {
  const { rows } = await database.owner.query(
    `SELECT s.external_id, sum(c.payout_amount_minor)::integer AS earned
       FROM commissions c JOIN sales s ON s.account_id = c.account_id AND s.id = c.sale_id
      WHERE c.account_id = $1 AND c.affiliate_id = $2 AND c.status <> 'void' GROUP BY 1 ORDER BY 1`,
    [account.id, affiliate.id],
  )
  return Object.fromEntries(rows.map(({ external_id, earned }) => [external_id, earned])) as Record<
    string,
    number
  >
}

/** The status of the customer's referrals, and why they need a review. */
export async function reviewOf({ database }: Scene, customer: string) {
  const { rows } = await database.owner.query(
    `SELECT r.status, v.attribution -> 'review' AS review FROM referrals r
       JOIN conversions v ON v.account_id = r.account_id AND v.referral_id = r.id WHERE r.customer_ref = $1`,
    [customer],
  )
  return rows
}

export const newCustomer = () => unique('cus')

/** A visitor who clicked the link with this token, and may leave an email or click again. */
export async function visitOf(scene: Scene, token: string) {
  const visitor = { account: scene.account.slug, visitor_id: unique('visitor-0123456789') }
  const click = async (): Promise<number> => (await beacon(scene, { ...visitor, token })).body.click_id
  const own = { ...visitor, click_id: await click() }
  const leave = async (email: string) =>
    expect((await beacon(scene, { ...own, email }, {}, { path: '/t/leads' })).status).toBe(201)
  return { ...own, leave, click }
}
