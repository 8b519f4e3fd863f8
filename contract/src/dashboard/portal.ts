import { Type } from 'typebox'
import { closed, nullable, OneLine, oneOf } from '../fields.ts'
import { type OptionalMail, optionalMails } from './mails.ts'
import { change, read, resultOf } from './schema.ts'

export const customersShown = ['masked', 'hidden', 'full'] as const

/** How the account's portal looks and behaves. */
export interface PortalSettings {
  /** Null where it is the name of the account. */
  name: string | null
  account_name: string
  colour: string
  domain: string | null
  terms_url: string | null
  frame_origins: string[]
  customers_shown: (typeof customersShown)[number]
  silent_mails: OptionalMail[]
  /** Where the logo can be seen. */
  logo: string | null
  /** Where affiliates find the portal. */
  address: string
}

const Url = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s]+$' })

export const portalSettingsSchemas = {
  getPortal: read(resultOf<PortalSettings>()),
  updatePortal: change(
    closed({
      name: Type.Optional(nullable(OneLine(100))),
      colour: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
      domain: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 253 }))),
      terms_url: Type.Optional(nullable(Url)),
      frame_origins: Type.Optional(Type.Array(Url, { maxItems: 20 })),
      customers_shown: Type.Optional(oneOf(customersShown)),
      silent_mails: Type.Optional(
        Type.Array(oneOf(optionalMails), { maxItems: optionalMails.length, uniqueItems: true }),
      ),
    }),
    resultOf<PortalSettings>(),
  ),
  /** The file itself, in base 64. */
  setLogo: change(
    closed({ logo: Type.String({ minLength: 1, maxLength: 360_000, pattern: '^[A-Za-z0-9+/]+={0,2}$' }) }),
    resultOf<PortalSettings>(),
  ),
  removeLogo: change(closed({}), resultOf<PortalSettings>()),
}
