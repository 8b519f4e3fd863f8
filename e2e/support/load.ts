import { setTimeout as sleep } from 'node:timers/promises'
import { type Tributary, TributaryError } from '@tributary/sdk'
import { sized } from '../../testing/size.ts'
import type { Acknowledged } from '../chaos/oracle.ts'
import { api } from './api.ts'
import type { Programme } from './programme.ts'
import { until } from './until.ts'

const WORKERS = 6
const MOST_REQUESTS = 6_000
/** Short enough for requests to be in flight nearly always; without it, what is being waited for would wait for the load. */
export const PAUSE_MS = sized(50, 0)

export interface Outcome {
  /** 0 if the connection failed before a response. */
  status: number
  code: string | undefined
  retryAfterSeconds: number | undefined
  /** What the response acknowledged; empty if the request failed. */
  written: Acknowledged[]
  sentAt: number
  answeredAt: number
}

export interface Load {
  outcomes: Outcome[]
  acknowledged(): Acknowledged[]
  /** How many requests sent after a point in time have succeeded. */
  succeededSince(moment: number): number
  /** Waits for this many more responses with this status. */
  more(count: number, status: number): Promise<void>
  stop(): Promise<Outcome[]>
}

/** A request to the service; resolves with what the response acknowledged. */
export type Action = (client: Tributary) => Promise<Acknowledged[]>

/** Runs one action and logs its response. */
export async function attempt(client: Tributary, action: Action): Promise<Outcome> {
  const sentAt = Date.now()
  const done = (
    written: Acknowledged[],
    { status = 0, code, retryAfterSeconds }: Partial<TributaryError>,
  ) => ({
    status,
    code,
    retryAfterSeconds,
    written,
    sentAt,
    answeredAt: Date.now(),
  })
  try {
    return done(await action(client), { status: 201 })
  } catch (error) {
    if (error instanceof TributaryError) return done([], error)
    throw error
  }
}

let counter = 0

/** Enrols a new affiliate. */
export const enrol =
  (campaignId: number): Action =>
  async client => {
    const email = `load-${++counter}@example.com`
    const { id } = await client.affiliates.create({ email, campaign_id: campaignId })
    return [{ kind: 'affiliates', id }]
  }

/** A new customer of an affiliate buys something: a referral and a commission, each with an event. */
export const convert =
  (campaignId: number, token: string, amountMinor = 10_000): Action =>
  async client => {
    const name = `load-${++counter}`
    const sale = { external_id: name, amount_minor: amountMinor, currency: 'USD' }
    const conversion = { campaign_id: campaignId, customer_ref: name, token, sale }
    const { referral, commissions } = await client.conversions.create(conversion)
    if (!referral) throw new Error(`${name} was not attributed`)
    return [
      { kind: 'referrals', id: referral.id, event: 'conversion.created' },
      ...commissions.map(
        ({ id }): Acknowledged => ({ kind: 'commissions', id, event: 'commission.created' }),
      ),
    ]
  }

/** Creates an approved affiliate with a PayPal address; returns its token. */
export async function openSeller(client: Tributary, campaignId: number): Promise<string> {
  const token = `seller-${++counter}`
  const email = `${token}@example.com`
  const person = { email, campaign_id: campaignId, token, paypal_email: email }
  const { id } = await client.affiliates.create(person)
  await client.affiliates.update(id, { status: 'approved' })
  return token
}

/** Enrols affiliates and reports sales as fast as a few clients can, or with pauses, and logs every response. */
export async function startLoad(
  url: string,
  { key, campaignId }: Programme,
  pauseMs = PAUSE_MS,
): Promise<Load> {
  const client = api(url, key)
  const token = await openSeller(client, campaignId)
  const outcomes: Outcome[] = []
  let stopped = false
  const work = async () => {
    while (!stopped && outcomes.length < MOST_REQUESTS) {
      const action = outcomes.length % 2 === 0 ? enrol(campaignId) : convert(campaignId, token)
      const outcome = await attempt(client, action)
      outcomes.push(outcome)
      // A refused connection fails at once; without a pause it would use up all requests immediately.
      const breathMs = outcome.status === 201 ? pauseMs : 10
      if (breathMs > 0) await sleep(breathMs)
    }
  }
  const workers = Promise.all(Array.from({ length: WORKERS }, work))
  const count = (status: number) => outcomes.filter(outcome => outcome.status === status).length
  return {
    outcomes,
    acknowledged: () => outcomes.flatMap(({ written }) => written),
    succeededSince: moment =>
      outcomes.filter(({ status, sentAt }) => status === 201 && sentAt > moment).length,
    async more(wanted, status) {
      const goal = count(status) + wanted
      await until(`${wanted} more answers ${status}`, () => count(status) >= goal)
    },
    async stop() {
      stopped = true
      await workers
      return outcomes
    },
  }
}

/** Outcomes that an outage must not cause: anything but success or a proper 503. */
export const unexpected = (outcomes: Outcome[]) =>
  outcomes.filter(
    ({ status, code, retryAfterSeconds = 0 }) =>
      status !== 201 && !(status === 503 && code === 'unavailable' && retryAfterSeconds > 0),
  )

/** The time from a point to the last failed response. */
export const outageMs = (outcomes: Outcome[], since: number) =>
  Math.max(0, ...outcomes.filter(({ status }) => status !== 201).map(({ answeredAt }) => answeredAt - since))
