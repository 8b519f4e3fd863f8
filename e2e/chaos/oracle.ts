import type { Event, EventKind } from '@tributary/contract'
import type { Tributary } from '@tributary/sdk'
import { FakePayPal } from '../../testing/fake-paypal.ts'
import { reportMeasurement } from '../../testing/size.ts'
import { type Env, shell, tributary } from '../support/program.ts'
import { type Delivery, startReceiver } from '../support/recording-receiver.ts'
import { until } from '../support/until.ts'

const CREDENTIALS = { clientId: 'AZ1', clientSecret: 'EK-only-PayPal-and-we-know-this' }
const EVERYTHING: EventKind[] = [
  'promoter.approved',
  'commission.created',
  'payout.paid',
  'conversion.created',
]

/** A write that the service acknowledged, and the event it must cause. */
export interface Acknowledged {
  kind: 'affiliates' | 'commissions' | 'referrals'
  id: number
  event?: EventKind
}

export interface AuditResult {
  lost: string[]
  undelivered: string[]
  /** Deliveries beyond the first of each event, as a share of all events. */
  duplicates: number
  paidTwice: string[]
  railMinor: number
  ledgerMinor: number
  /** The problems that `tributary doctor` found; empty if none. */
  doctor: string
}

/** The acknowledged writes that are missing. Lists are newest first, so they need not be read to the end. */
export async function lostWrites(client: Tributary, acknowledged: Acknowledged[]): Promise<string[]> {
  const lost: string[] = []
  for (const kind of new Set(acknowledged.map(one => one.kind))) {
    const ids = acknowledged.filter(one => one.kind === kind).map(({ id }) => id)
    const oldest = ids.reduce((least, id) => Math.min(least, id))
    const found = new Set<number>()
    for await (const { id } of client[kind].list({ limit: 100 })) {
      if (id < oldest) break
      found.add(id)
    }
    lost.push(...ids.filter(id => !found.has(id)).map(id => `${kind} ${id}`))
  }
  return lost
}

/** The problems that `tributary doctor` finds; empty if none. */
export async function doctorFinds(env: Env): Promise<string> {
  const { code, stdout, stderr } = await tributary(['doctor'], env)
  return code === 0 ? '' : stdout + stderr
}

/**
 * An independent observer: records what the service acknowledged, receives its webhooks, and acts as its payment rail. After a run it
 * checks that the three agree with each other and with the ledger.
 */
export class Oracle {
  readonly acknowledged: Acknowledged[] = []
  /** How often each event was received, by id, with its kind and subject id. */
  readonly deliveries = new Map<number, number>()
  readonly delivered = new Set<string>()
  readonly rail: FakePayPal
  #receiver!: Awaited<ReturnType<typeof startReceiver>>
  #isAttached = false

  private constructor(rail: FakePayPal) {
    this.rail = rail
    rail.bank.clients.set(CREDENTIALS.clientId, CREDENTIALS.clientSecret)
  }

  static async start(): Promise<Oracle> {
    const oracle = new Oracle(await FakePayPal.start())
    oracle.#receiver = await startReceiver(delivery => oracle.#take(delivery))
    return oracle
  }

  /** The service's settings for the rail. */
  get env(): Env {
    return { TRIBUTARY_PAYPAL_URL: this.rail.url }
  }

  /** Subscribes this to all events of an account, and sets it up as its payment rail. */
  async attach(client: Tributary, env: Env, accountId: number): Promise<void> {
    await client.webhookEndpoints.create({ url: this.#receiver.url, events: EVERYTHING })
    const { clientId, clientSecret } = CREDENTIALS
    const command = `node server/bin/tributary.js rail paypal --account ${accountId} --client-id ${clientId}`
    const { code, stderr } = await shell(`echo ${clientSecret} | ${command}`, env)
    if (code !== 0) throw new Error(`Failed to set the rail: ${stderr}`)
    this.#isAttached = true
  }

  acknowledge(...written: Acknowledged[]): void {
    this.acknowledged.push(...written)
  }

  #take({ body }: Delivery): void {
    const { id, type, data } = JSON.parse(body) as Event
    this.deliveries.set(id, (this.deliveries.get(id) ?? 0) + 1)
    this.delivered.add(`${type} ${data.id}`)
  }

  /** Acknowledged events that have not been received; none without a subscription. */
  undelivered(): string[] {
    if (!this.#isAttached) return []
    return this.acknowledged.flatMap(({ event, id }) =>
      event === undefined || this.delivered.has(`${event} ${id}`) ? [] : [`${event} ${id}`],
    )
  }

  /** Call after the load has ended. Pending deliveries get this long to be received. */
  async audit(client: Tributary, env: Env, patienceMs: number): Promise<AuditResult> {
    await until('every event has come', () => this.undelivered().length === 0, patienceMs).catch(
      () => undefined,
    )
    const counts = [...this.deliveries.values()]
    const paid = [...this.rail.bank.paid()]
    let ledgerMinor = 0
    for await (const { payout_amount_minor } of client.commissions.list({ entry_type: 'payout', limit: 100 }))
      ledgerMinor -= payout_amount_minor
    return {
      lost: await lostWrites(client, this.acknowledged),
      undelivered: this.undelivered(),
      duplicates: counts.reduce((sum, count) => sum + count - 1, 0) / Math.max(1, counts.length),
      paidTwice: paid.filter(([, { times }]) => times > 1).map(([item]) => String(item)),
      railMinor: paid.reduce((sum, [, { minor }]) => sum + minor, 0),
      ledgerMinor,
      doctor: await doctorFinds(env),
    }
  }

  async close(): Promise<void> {
    await this.#receiver.close()
    await this.rail.refuse()
  }
}

/** Reports an audit as a row of the table. Returns whether everything in it holds. */
export function reportAudit(row: number, audit: AuditResult, of: string): boolean {
  const { lost, undelivered, paidTwice, railMinor, ledgerMinor, doctor, duplicates } = audit
  const zero = (what: string, list: string[]) => ({ what, value: list.length, bar: '0', holds: !list.length })
  const agree = railMinor === ledgerMinor
  const found = doctor === '' ? 'nothing' : doctor
  const figures = [
    zero(`lost of ${of}`, lost),
    zero('events not delivered', undelivered),
    zero('paid twice', paidTwice),
    { what: 'paid by the rail', value: railMinor, bar: `${ledgerMinor}, as the ledger says`, holds: agree },
    { what: 'doctor finds', value: found, bar: 'nothing', holds: doctor === '' },
  ]
  for (const figure of figures) reportMeasurement({ row, ...figure })
  console.info(`row ${row}: ${(100 * duplicates).toFixed(3)} % of the events came more than once`)
  return figures.every(({ holds }) => holds)
}
