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
  /** Whether people can join without an invitation. */
  is_open: Type.Boolean(),
  rewards: Type.Array(CampaignRule),
})
export type ListedCampaign = Static<typeof ListedCampaign>

export const JoinableCampaign = closed({ ...ListedCampaign.properties, is_joined: Type.Boolean() })
export type JoinableCampaign = Static<typeof JoinableCampaign>

/** What the pages need before anyone has signed in. It is part of the page itself. */
export const PortalLook = closed({
  /** Where the portal's pages begin: a path, or empty on a custom domain. */
  base: Type.String(),
  name: Type.String(),
  colour: Type.String(),
  logo: nullable(Type.String()),
  terms_url: nullable(Type.String()),
  /** Whether sign-in links are sent by email; otherwise the company's own site leads here. */
  mails_links: Type.Boolean(),
  /** The public ones. */
  campaigns: Type.Array(ListedCampaign),
  /** The campaign of a valid join link, and the key that proves it. Null on every other page. */
  invited: nullable(closed({ ...ListedCampaign.properties, join_key: Type.String() })),
})
export type PortalLook = Static<typeof PortalLook>
