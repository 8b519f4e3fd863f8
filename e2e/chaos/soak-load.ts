import type { Tributary } from '@tributary/sdk'
import fc from 'fast-check'
import { seed } from '../../testing/size.ts'
import { api } from '../support/api.ts'
import { type Action, attempt, convert, enrol, openSeller } from '../support/load.ts'
import type { Programme } from '../support/programme.ts'
import type { Acknowledged, Oracle } from './oracle.ts'
import type { PaidCampaign } from './paid-campaign.ts'

const CLIENTS = 8
const SELLERS = 50
/** The pause of each client between two requests: the load is meant to be sustained, not maximal. */
const PAUSE_MS = 40

/** The responses since the last call. */
export interface Answers {
  /** The duration and kind of each. */
  latencies: { what: string; ms: number }[]
  errors: string[]
}

export interface SoakLoad {
  /** Returns and clears the collected responses. */
  take(): Answers
  stop(): Promise<void>
}

interface Place {
  url: string
  programme: Programme
  campaign: PaidCampaign
  /** The session cookie of a dashboard user. */
  cookie: string
}

/** Each with its weight. */
function actions(
  { url, programme, campaign, cookie }: Place,
  sellers: string[],
): [weight: number, what: string, action: Action][] {
  let picked = 0
  /** Round-robin, but not in adjacent order. */
  const pick = <T>(list: T[]): T => list[(picked++ * 7919) % list.length] as T
  const sold: string[] = []
  const customers: string[] = []
  let counter = 0
  const page = async (path: string, headers: Record<string, string>, wanted: number) => {
    const response = await fetch(`${url}${path}`, { headers, redirect: 'manual' })
    await response.text()
    if (response.status !== wanted) throw new Error(`${path} returned ${response.status}`)
    return []
  }
  const dashboard = (path: string) =>
    page(`/dashboard/api/accounts/${programme.accountId}/${path}`, { cookie }, 200)
  const nothing = async (call: PromiseLike<unknown>): Promise<Acknowledged[]> => {
    await call
    return []
  }
  return [
    [2, 'enrolment', enrol(campaign.id)],
    [
      4,
      'conversion',
      async client => {
        const written = await convert(campaign.id, pick(sellers))(client)
        const [referral] = written
        if (referral) customers.push((await client.referrals.get(referral.id)).customer_ref)
        return written
      },
    ],
    [
      6,
      'sale',
      async client => {
        const customer_ref = pick(customers)
        if (!customer_ref) return []
        const external_id = `soak-${++counter}`
        const sale = { customer_ref, external_id, amount_minor: 5_000, currency: 'USD' }
        const { commissions } = await client.sales.create(sale)
        sold.push(external_id)
        return commissions.map(({ id }) => ({ kind: 'commissions', id, event: 'commission.created' }))
      },
    ],
    [
      1,
      'refund',
      async client => {
        const sale_external_id = sold.shift()
        if (!sale_external_id) return []
        const external_id = `refund of ${sale_external_id}`
        const { commissions } = await client.refunds.create({
          external_id,
          sale_external_id,
          amount_minor: 1_000,
        })
        return commissions.map(({ id }) => ({ kind: 'commissions', id, event: 'commission.created' }))
      },
    ],
    [8, 'click', () => page(`/r/${programme.slug}/${pick(sellers)}`, { 'user-agent': 'Mozilla/5.0' }, 302)],
    [6, 'list of commissions', client => nothing(client.commissions.list({ limit: 100 }).page())],
    [
      4,
      'list of affiliates',
      client => nothing(client.affiliates.list({ limit: 50, campaign_id: campaign.id }).page()),
    ],
    [4, 'campaign', client => nothing(client.campaigns.get(campaign.id))],
    [2, 'dashboard: overview', () => dashboard('overview?days=30')],
    [2, 'dashboard: commissions', () => dashboard('commissions')],
    [1, 'dashboard: affiliates', () => dashboard('affiliates')],
  ]
}

/** Everything that a programme does in a day, by a few clients continuously, until it is stopped. */
export async function startSoakLoad(place: Place, oracle: Oracle): Promise<SoakLoad> {
  const client: Tributary = api(place.url, place.programme.key)
  const sellers: string[] = []
  for (let index = 0; index < SELLERS; index++) sellers.push(await openSeller(client, place.campaign.id))
  const weighted = actions(place, sellers).map(([weight, what, action]) => ({
    weight,
    arbitrary: fc.constant({ what, action }),
  }))
  const order = fc.sample(fc.oneof(...weighted), { seed, numRuns: 10_000 })
  let answers: Answers = { latencies: [], errors: [] }
  let isRunning = true
  let next = 0
  const work = async () => {
    while (isRunning) {
      const { what, action } = order[next++ % order.length] as (typeof order)[number]
      const begun = performance.now()
      try {
        const { status, code, written } = await attempt(client, action)
        oracle.acknowledge(...written)
        if (status !== 201) answers.errors.push(`${what}: ${status} ${code ?? ''}`)
      } catch (error) {
        answers.errors.push(`${what}: ${error}`)
      }
      answers.latencies.push({ what, ms: Math.round(performance.now() - begun) })
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }
  const workers = Promise.all(Array.from({ length: CLIENTS }, work))
  return {
    take() {
      const taken = answers
      answers = { latencies: [], errors: [] }
      return taken
    },
    async stop() {
      isRunning = false
      await workers
    },
  }
}
