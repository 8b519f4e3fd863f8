import { type Static, Type } from 'typebox'
import { closed, Id, nullable, Timestamp } from '../fields.ts'
import { allOf, change, read } from './schema.ts'

const Named = closed({ id: Id, name: Type.String() })

/** The tracking script of the account and where it may run. */
export const TrackingSettings = closed({
  /** The script's URL, on the account's custom domain if it has one. */
  script_url: Type.String(),
  /** The sites of the campaigns' destinations, which are always allowed: scheme and host. */
  campaign_sites: Type.Array(closed({ site: Type.String(), campaign: Named })),
  /** Other allowed sites. */
  sites: Type.Array(Type.String()),
  /** Whether the script's cookies are valid on all subdomains of a site. */
  shares_subdomains: Type.Boolean(),
  /** Whether the email addresses of customers are stored, and not only their keyed hashes. */
  keeps_customer_emails: Type.Boolean(),
  /** An affiliate's link, to try the installation with; null without an approved affiliate and a destination. */
  test_link: nullable(closed({ url: Type.String(), affiliate: Type.String() })),
})
export type TrackingSettings = Static<typeof TrackingSettings>

export const RecentClick = closed({
  id: Id,
  created_at: Timestamp,
  affiliate: Named,
  campaign: Named,
  /** The page it led to. */
  landing_url: nullable(Type.String()),
  is_bot: Type.Boolean(),
  /** Whether the script on the page reported it. */
  by_script: Type.Boolean(),
  /** False if the page isn't on an allowed site: the browser then doesn't store the click. */
  is_allowed: Type.Boolean(),
})
export type RecentClick = Static<typeof RecentClick>

const Site = Type.String({ minLength: 1, maxLength: 300 })

export const trackingSchemas = {
  getTracking: read(TrackingSettings),
  updateTracking: change(
    closed(
      {
        sites: Type.Optional(Type.Array(Site, { maxItems: 50 })),
        shares_subdomains: Type.Optional(Type.Boolean()),
        /** Turning it off erases the stored addresses. */
        keeps_customer_emails: Type.Optional(Type.Boolean()),
      },
      { minProperties: 1 },
    ),
    TrackingSettings,
  ),
  /** The newest clicks, at most ten. */
  getRecentClicks: read(allOf(RecentClick)),
}
