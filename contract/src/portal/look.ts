import { type Static, Type } from 'typebox'
import { Campaign } from '../campaign.ts'
import { CampaignRule } from '../dashboard/campaigns.ts'
import { closed, nullable } from '../fields.ts'

const { id, name, slug, program_type, payout_currency, hold_days, minimum_payout_minor } = Campaign.properties
const { attribution_window_days, destination_url } = Campaign.properties

/** A campaign as the portal lists it. */
export const ListedCampaign = closed({
  id,
  name,
  slug,
  program_type,
  payout_currency,
  hold_days,
  minimum_payout_minor,
  attribution_window_days,
  destination_url,
  /** Whether ads in search engines are against the campaign's terms. */
  forbids_paid_search: Type.Boolean(),
  /** Whether people can join without an invitation. */
  is_open: Type.Boolean(),
  /** Whether joining takes answers or accepting terms. */
  has_join_form: Type.Boolean(),
  rewards: Type.Array(CampaignRule),
})
export type ListedCampaign = Static<typeof ListedCampaign>

export const JoinableCampaign = closed({
  ...ListedCampaign.properties,
  is_joined: Type.Boolean(),
  /** Only one that the affiliate has joined is listed while paused. */
  is_paused: Type.Boolean(),
})
export type JoinableCampaign = Static<typeof JoinableCampaign>

/** What the pages need before sign-in. Embedded in the page itself. */
export const PortalLook = closed({
  /** The base path of the portal's pages, empty on a custom domain. */
  base: Type.String(),
  name: Type.String(),
  colour: Type.String(),
  logo: nullable(Type.String()),
  terms_url: nullable(Type.String()),
  /** Whether sign-in links are sent by email; otherwise affiliates sign in from the company's own site. */
  mails_links: Type.Boolean(),
  /** Whether emails are sent at all. Without them no one can confirm an address, so the pages say what to do instead. */
  sends_emails: Type.Boolean(),
  /** Public campaigns. */
  campaigns: Type.Array(ListedCampaign),
  /** The campaign of a valid join link, and the key that proves it. Null on every other page. */
  invited: nullable(closed({ ...ListedCampaign.properties, join_key: Type.String() })),
})
export type PortalLook = Static<typeof PortalLook>
