import type { Campaign } from '@tributary/contract'
import { type Env, must } from '../support/program.ts'

/** A campaign that pays a fifth without a hold, and its PayPal payouts. */
export class PaidCampaign {
  readonly id: number
  readonly #env: Env
  readonly #account: string[]

  private constructor(env: Env, account: string[], id: number) {
    this.#env = env
    this.#account = account
    this.id = id
  }

  static async open(env: Env, accountId: number): Promise<PaidCampaign> {
    const account = ['--account', String(accountId)]
    const terms = ['--name', 'Paid at once', '--hold-days', '0', '--minimum-payout-minor', '1000']
    const site = ['--destination-url', 'https://shop.example/']
    const made = await must(['campaign', 'create', ...account, ...terms, ...site, '--json'], env)
    return new PaidCampaign(env, account, (JSON.parse(made) as Campaign).id)
  }

  /** Creates a payout of the whole balance and submits it to the running service; returns its id. */
  async pay(): Promise<number> {
    const scope = ['--campaign', String(this.id), '--rail', 'paypal', '--json']
    const made = await must(['payout', 'create', ...this.#account, ...scope], this.#env)
    const { id } = JSON.parse(made) as { id: number }
    await must(['payout', 'pay', ...this.#account, '--id', String(id)], this.#env)
    return id
  }
}
