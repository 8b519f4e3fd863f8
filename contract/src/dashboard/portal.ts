import { type Static, Type } from 'typebox'
import { closed, nullable, OneLine, oneOf } from '../fields.ts'
import { leaderboardOrders } from '../portal/leaderboard.ts'
import { optionalMails } from './mails.ts'
import { change, read } from './schema.ts'

export const customersShown = ['masked', 'hidden', 'full'] as const

/** The account's portal settings. */
export const PortalSettings = closed({
  /** Null to use the account's name. */
  name: nullable(Type.String()),
  account_name: Type.String(),
  colour: Type.String(),
  domain: nullable(Type.String()),
  terms_url: nullable(Type.String()),
  frame_origins: Type.Array(Type.String()),
  customers_shown: oneOf(customersShown),
  /** What the leaderboard ranks by; null without one. */
  leaderboard: nullable(oneOf(leaderboardOrders)),
  /** Whether it shows everyone's numbers; otherwise affiliates only see their own. */
  leaderboard_numbers: Type.Boolean(),
  silent_mails: Type.Array(oneOf(optionalMails)),
  /** The URL of the logo. */
  logo: nullable(Type.String()),
  /** The portal's URL. */
  address: Type.String(),
})
export type PortalSettings = Static<typeof PortalSettings>

const Url = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s]+$' })

export const portalSettingsSchemas = {
  getPortal: read(PortalSettings),
  updatePortal: change(
    closed({
      name: Type.Optional(nullable(OneLine(100))),
      colour: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
      domain: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 253 }))),
      terms_url: Type.Optional(nullable(Url)),
      frame_origins: Type.Optional(Type.Array(Url, { maxItems: 20 })),
      customers_shown: Type.Optional(oneOf(customersShown)),
      leaderboard: Type.Optional(nullable(oneOf(leaderboardOrders))),
      leaderboard_numbers: Type.Optional(Type.Boolean()),
      silent_mails: Type.Optional(
        Type.Array(oneOf(optionalMails), { maxItems: optionalMails.length, uniqueItems: true }),
      ),
    }),
    PortalSettings,
  ),
  /** The file's content in base64. */
  setLogo: change(
    closed({ logo: Type.String({ minLength: 1, maxLength: 360_000, pattern: '^[A-Za-z0-9+/]+={0,2}$' }) }),
    PortalSettings,
  ),
  removeLogo: change(closed({}), PortalSettings),
}
