import type { Settings } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import type { PayPalRail } from '../rails/paypal.ts'
import type { Rail } from '../rails/rail.ts'
import { payPalCredentials } from './rail-credentials.ts'

/** The rails of all accounts, opened when first used and kept for their access tokens. */
export class OpenRails {
  readonly #services: { db: Db; secrets: SecretBox; settings: Pick<Settings, 'TRIBUTARY_PAYPAL_URL'> }
  readonly #timeoutMs: number | undefined
  readonly #open = new Map<number, { credentials: string; rail: PayPalRail }>()
  /** Rails of credentials that were replaced; calls may still be under way. */
  readonly #retired: PayPalRail[] = []

  constructor(
    services: { db: Db; secrets: SecretBox; settings: Pick<Settings, 'TRIBUTARY_PAYPAL_URL'> },
    timeoutMs?: number,
  ) {
    this.#services = services
    this.#timeoutMs = timeoutMs
  }

  /** The account's way to PayPal, with the credentials as they are now; undefined when it has none. */
  async paypal(accountId: number): Promise<Rail | undefined> {
    const { db, secrets, settings } = this.#services
    const credentials = await payPalCredentials(db, secrets, accountId)
    if (!credentials) return undefined
    const text = JSON.stringify(credentials)
    const known = this.#open.get(accountId)
    if (known?.credentials === text) return known.rail
    // Loaded only here: most commands never speak to a rail, and should not wait for what speaks HTTP.
    const { PayPalRail } = await import('../rails/paypal.ts')
    const rail = new PayPalRail(settings.TRIBUTARY_PAYPAL_URL, credentials, this.#timeoutMs)
    this.#open.set(accountId, { credentials: text, rail })
    if (known) {
      known.rail.retire()
      this.#retired.push(known.rail)
    }
    return rail
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()].map(({ rail }) => rail)
    await Promise.all([...open, ...this.#retired].map(rail => rail.close()))
  }
}
