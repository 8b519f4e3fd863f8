import type { Settings } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import type { SecretBox } from '../../kit/secret-box.ts'
import type { PayPalRail } from '../rails/paypal.ts'
import type { Rail } from '../rails/rail.ts'
import { payPalCredentials } from './rail-credentials.ts'

/** The rails of all accounts, opened on first use and cached for their access tokens. */
export class OpenRails {
  readonly #services: { db: Db; secrets: SecretBox; settings: Pick<Settings, 'TRIBUTARY_PAYPAL_URL'> }
  readonly #timeoutMs: number | undefined
  readonly #open = new Map<number, { credentials: string; rail: PayPalRail }>()
  /** Rails whose credentials were replaced; calls may still be in flight. */
  readonly #retired: PayPalRail[] = []

  constructor(
    services: { db: Db; secrets: SecretBox; settings: Pick<Settings, 'TRIBUTARY_PAYPAL_URL'> },
    timeoutMs?: number,
  ) {
    this.#services = services
    this.#timeoutMs = timeoutMs
  }

  /** The account's PayPal rail with its current credentials, or undefined if it has none. */
  async paypal(accountId: number): Promise<Rail | undefined> {
    const { db, secrets, settings } = this.#services
    const credentials = await payPalCredentials(db, secrets, accountId)
    if (!credentials) return undefined
    const serialized = JSON.stringify(credentials)
    const known = this.#open.get(accountId)
    if (known?.credentials === serialized) return known.rail
    // Imported lazily: most commands never call a rail and should not load the HTTP client.
    const { PayPalRail } = await import('../rails/paypal.ts')
    const rail = new PayPalRail(settings.TRIBUTARY_PAYPAL_URL, credentials, this.#timeoutMs)
    this.#open.set(accountId, { credentials: serialized, rail })
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
