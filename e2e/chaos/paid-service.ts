import type { Tributary } from '@tributary/sdk'
import { api } from '../support/api.ts'
import { convert, openSeller } from '../support/load.ts'
import type { Env } from '../support/program.ts'
import { createProgramme, type Programme } from '../support/programme.ts'
import { type Service, serve } from '../support/service.ts'
import { newDataDir } from '../support/temporary.ts'
import { until } from '../support/until.ts'
import { Oracle } from './oracle.ts'
import { PaidCampaign } from './paid-campaign.ts'

const SELLERS = 5
/** A payment that was claimed, and not sent or without a known outcome when the fault came, is due again after five minutes. */
const PAID_WITHIN_MS = 400_000

/** A service that sells, delivers and pays, with an oracle that records all three. */
export class PaidService {
  readonly oracle: Oracle
  readonly env: Env
  /** A test that kills it starts another one. */
  service: Service
  readonly programme: Programme
  readonly #campaign: PaidCampaign
  readonly #sellers: string[]
  readonly #payouts: number[] = []

  private constructor(
    oracle: Oracle,
    env: Env,
    service: Service,
    programme: Programme,
    campaign: PaidCampaign,
    sellers: string[],
  ) {
    this.oracle = oracle
    this.env = env
    this.service = service
    this.programme = programme
    this.#campaign = campaign
    this.#sellers = sellers
  }

  static async start(settings: Env = {}): Promise<PaidService> {
    const oracle = await Oracle.start()
    const env = {
      ...oracle.env,
      TRIBUTARY_DATA_DIR: await newDataDir(),
      TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
      LOG_LEVEL: 'warn',
      ...settings,
    }
    const service = await serve(env)
    const programme = await createProgramme(env)
    const client = api(service.url, programme.key)
    await oracle.attach(client, env, programme.accountId)
    const campaign = await PaidCampaign.open(env, programme.accountId)
    const sellers = await Promise.all(Array.from({ length: SELLERS }, () => openSeller(client, campaign.id)))
    return new PaidService(oracle, env, service, programme, campaign, sellers)
  }

  get client(): Tributary {
    return api(this.service.url, this.programme.key)
  }

  /** Every seller sells something. */
  async sell(): Promise<void> {
    for (const token of this.#sellers)
      this.oracle.acknowledge(...(await convert(this.#campaign.id, token)(this.client)))
  }

  /** Pays what is owed: the running service sends it. */
  async pay(): Promise<void> {
    this.#payouts.push(await this.#campaign.pay())
  }

  async untilPaid(): Promise<void> {
    const isPaid = async (id: number) => (await this.client.payouts.get(id)).status === 'paid'
    const areAllPaid = async () => (await Promise.all(this.#payouts.map(isPaid))).every(Boolean)
    await until('every payout is paid', areAllPaid, PAID_WITHIN_MS)
  }

  audit() {
    return this.oracle.audit(this.client, this.env, 60_000)
  }
}
