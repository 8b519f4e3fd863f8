import { setTimeout as sleep } from 'node:timers/promises'
import { type Tributary, TributaryError } from '@tributary/sdk'
import { sized } from '../../testing/size.ts'
import type { Acknowledged } from '../chaos/oracle.ts'
import { api } from './api.ts'
import type { Programme } from './programme.ts'
import { until } from './until.ts'

const WORKERS = 6
const MOST_REQUESTS = 6_000
/** Enough for requests to be under way at any moment, and little beside other tests. */
const PAUSE_MS = sized(20, 0)

export interface Outcome {
  /** 0 where the connection failed before an answer came. */
  status: number
  code: string | undefined
  retryAfterSeconds: number | undefined
  /** What the answer said is there now; nothing where it said no. */
  written: Acknowledged[]
  sentAt: number
  answeredAt: number
}

export interface Load {
  outcomes: Outcome[]
  acknowledged(): Acknowledged[]
  /** How many requests that were sent after a moment have succeeded. */
  succeededSince(moment: number): number
  /** Waits until so many more requests have been answered with this status. */
  more(count: number, status: number): Promise<void>
  stop(): Promise<Outcome[]>
}

/** A request to the service, and what its answer says is there now. */
export type Deed = (client: Tributary) => Promise<Acknowledged[]>

/** Carries out one deed and logs how it was answered. */
export async function attempt(client: Tributary, deed: Deed): Promise<Outcome> {
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
    return done(await deed(client), { status: 201 })
  } catch (error) {
    if (error instanceof TributaryError) return done([], error)
    throw error
  }
}

let counter = 0

/** Enrols somebody new. */
export const enrol =
  (campaignId: number): Deed =>
  async client => {
    const email = `load-${++counter}@example.com`
    const { id } = await client.affiliates.create({ email, campaign_id: campaignId })
    return [{ kind: 'affiliates', id }]
  }

/** A new customer of an affiliate buys something: a referral and a commission, and an event of each. */
export const convert =
  (campaignId: number, token: string, amountMinor = 10_000): Deed =>
  async client => {
    const name = `load-${++counter}`
    const sale = { external_id: name, amount_minor: amountMinor, currency: 'USD' }
    const conversion = { campaign_id: campaignId, customer_ref: name, token, sale }
    const { referral, commissions } = await client.conversions.create(conversion)
    if (!referral) throw new Error(`${name} was credited to nobody`)
    return [
      { kind: 'referrals', id: referral.id, event: 'conversion.created' },
      ...commissions.map(
        ({ id }): Acknowledged => ({ kind: 'commissions', id, event: 'commission.created' }),
      ),
    ]
  }

/** An approved affiliate that PayPal can reach, by the token of its links. */
export async function openSeller(client: Tributary, campaignId: number): Promise<string> {
  const token = `seller-${++counter}`
  const email = `${token}@example.com`
  const person = { email, campaign_id: campaignId, token, paypal_email: email }
  const { id } = await client.affiliates.create(person)
  await client.affiliates.update(id, { status: 'approved' })
  return token
}

/** Enrols affiliates and sells as fast as a few clients can, or with pauses between, and keeps a log of every answer. */
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
      const deed = outcomes.length % 2 === 0 ? enrol(campaignId) : convert(campaignId, token)
      const outcome = await attempt(client, deed)
      outcomes.push(outcome)
      // A refused connection is over at once; without a breath it would use up all requests in no time.
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

/** What an outage may look like from outside: 503 with the right words, and nothing else. */
export const unexpected = (outcomes: Outcome[]) =>
  outcomes.filter(
    ({ status, code, retryAfterSeconds = 0 }) =>
      status !== 201 && !(status === 503 && code === 'unavailable' && retryAfterSeconds > 0),
  )

/** From a moment to the last answer that was not a success. */
export const outageMs = (outcomes: Outcome[], since: number) =>
  Math.max(0, ...outcomes.filter(({ status }) => status !== 201).map(({ answeredAt }) => answeredAt - since))
