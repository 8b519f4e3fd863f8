import { type Static, type TSchema, Type } from 'typebox'
import type { CampaignRule } from '../dashboard/campaigns.ts'
import { overviewPeriods } from '../dashboard/overview.ts'
import { type CsvFile, change, Done, type Page, pageQuery, read, resultOf } from '../dashboard/schema.ts'
import { closed, Email, Id, nullable, OneLine, oneOf, Timestamp } from '../fields.ts'
import type { PortalRouteId } from './routes.ts'

export * from './brand-colour.ts'
export * from './routes.ts'

/** What the pages know before anybody has signed in. It stands in the page itself. */
export interface PortalLook {
  /** Where the portal's pages begin: a path, or nothing on a domain of its own. */
  base: string
  name: string
  colour: string
  logo: string | null
  terms_url: string | null
  /** Whether links to sign in are sent by mail; otherwise the company's own site leads here. */
  mails_links: boolean
  /** The public ones. */
  campaigns: ListedCampaign[]
  /** The campaign of a join link that is right, and what proves it. Null on every other page. */
  invited: (ListedCampaign & { join_key: string }) | null
}

export interface ListedCampaign {
  id: number
  name: string
  slug: string
  program_type: 'affiliate' | 'referral'
  payout_currency: string
  hold_days: number
  minimum_payout_minor: number
  attribution_window_days: number
  destination_url: string | null
  /** Whether people may join by themselves; otherwise it is by invitation. */
  is_open: boolean
  rewards: CampaignRule[]
}

export interface Me {
  id: number
  email: string
  name: string | null
  status: 'pending' | 'approved'
  paypal_email: string | null
  created_at: string
  campaigns: { id: number; name: string }[]
  /** Whether they signed in so lately that they may change where their money goes. */
  is_fresh: boolean
  /** Sent back with every change, to prove that our own page made it. */
  csrf_token: string
}

/** Money that cannot be paid yet, and until when. */
export interface Hold {
  until: string
  count: number
  amount_minor: number
}

/** What one campaign has brought, in its currency. `earned` = `pending` + `approved` + `in_payout` + `paid`. */
export interface Earnings {
  campaign_id: number
  campaign_name: string
  currency: string
  earned_minor: number
  pending_minor: number
  /** Of the pending: what waits for the company to look at a referral. */
  in_review_minor: number
  /** Of the pending: what waits for a day, the nearest first. */
  holds: Hold[]
  approved_minor: number
  /** On its way to the affiliate right now. */
  in_payout_minor: number
  paid_minor: number
  /** Given as credit, never as money. */
  credit_minor: number
  minimum_payout_minor: number
  hold_days: number
}

export interface HomeStep {
  from: string
  clicks: number
  conversions: number
  earned_minor: number
}

export interface Home {
  earnings: Earnings[]
  /** Sales whose currency has no rate of exchange yet; they earn when it arrives. */
  awaiting_rate: number
  from: string
  step_days: 1 | 7
  /** The currency of the chart; null where nothing was earned yet. */
  currency: string | null
  clicks: number
  conversions: number
  series: HomeStep[]
}

export interface LinkOf {
  campaign_id: number
  campaign_name: string
  link: string
  /** Null where the campaign leads nowhere yet. */
  destination_url: string | null
  attribution_window_days: number
  rewards: CampaignRule[]
}

/** A customer as far as the company lets affiliates see: in full, masked, or not at all. */
export type ShownCustomer = string | null

export interface PortalReferral {
  id: number
  campaign_name: string
  customer: ShownCustomer
  status: 'pending_review' | 'approved' | 'rejected'
  occurred_at: string
  /** What it has earned so far, by currency and status. */
  earned: { currency: string; status: 'pending' | 'approved' | 'paid'; amount_minor: number }[]
}

/** A piece of evidence. Of another affiliate’s it tells that there was one, and not whose. */
export interface PortalCandidate {
  source: 'coupon' | 'click' | 'token'
  is_mine: boolean
  clicked_at: string | null
  outcome: 'won' | 'lost' | 'dropped'
  /** The rule that decided it, with its arithmetic; null for somebody else’s. */
  reason: string | null
}

export interface PortalReferralDetail extends PortalReferral {
  model: 'last_click' | 'first_click'
  window_days: number
  candidates: PortalCandidate[]
  commissions: PortalCommission[]
}

export interface PortalCommission {
  id: number
  campaign_name: string
  referral_id: number | null
  customer: ShownCustomer
  entry_type: 'earned' | 'clawback' | 'adjustment' | 'payout' | 'credit'
  status: 'pending' | 'approved' | 'paid' | 'void'
  amount_minor: number
  currency: string
  /** What the sale was in, where it was in another currency. */
  original: { amount_minor: number; currency: string } | null
  hold_until: string | null
  /** Whether it waits for the company to look at the referral. */
  in_review: boolean
  /** What the company wrote to it. */
  description: string | null
  created_at: string
}

export interface PortalPayout {
  id: number
  campaign_name: string
  amount_minor: number
  currency: string
  status: 'pending' | 'processing' | 'paid' | 'failed' | 'canceled'
  rail: string
  /** Where it was sent. */
  address: string | null
  reason: string | null
  created_at: string
  settled_at: string | null
}

export interface JoinableCampaign extends ListedCampaign {
  is_joined: boolean
}

/** A picture, or a document, as bytes. */
export interface BinaryFile {
  name: string
  type: string
  bytes: AsyncIterable<Uint8Array> | Uint8Array | string
}

const Name = OneLine(255)
const Status = oneOf(['pending', 'approved', 'paid', 'void'])
const asOf = closed({ as_of: Type.Optional(Timestamp) })

export const portalSchemas = {
  askForLink: change(closed({ email: Email }), Done),
  askToJoin: change(
    closed({
      email: Email,
      name: Type.Optional(nullable(Name)),
      campaign_id: Id,
      /** Of the join link; a private campaign needs it. */
      join_key: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    }),
    Done,
  ),

  getMe: read(resultOf<Me>()),
  updateMe: change(closed({ name: nullable(Name) }), resultOf<Me>()),
  changePayPal: change(closed({ paypal_email: nullable(Email) }), resultOf<Me>()),
  signOut: change(closed({}), Done),
  signOutEverywhere: change(closed({}), Done),

  getHome: read(
    resultOf<Home>(),
    closed({
      days: Type.Optional(
        Type.Unsafe<(typeof overviewPeriods)[number]>({ type: 'integer', enum: [...overviewPeriods] }),
      ),
    }),
  ),
  listLinks: read(resultOf<{ coupon_code: string | null; data: LinkOf[] }>()),
  drawLink: read(
    resultOf<BinaryFile>(),
    closed({ to: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })) }),
  ),
  listReferrals: read(resultOf<Page<PortalReferral>>(), closed(pageQuery)),
  getReferral: read(resultOf<PortalReferralDetail>()),
  listCommissions: read(
    resultOf<Page<PortalCommission>>(),
    closed({ ...pageQuery, status: Type.Optional(Status), campaign_id: Type.Optional(Id) }),
  ),
  listPayouts: read(resultOf<Page<PortalPayout>>(), closed(pageQuery)),
  downloadStatement: read(resultOf<CsvFile>(), asOf),
  printStatement: read(resultOf<BinaryFile>(), asOf),

  listCampaigns: read(resultOf<{ data: JoinableCampaign[] }>()),
  joinCampaign: change(closed({}), Done),
}

type Schemas = typeof portalSchemas
type StaticOf<S> = S extends TSchema ? Static<S> : Record<string, never>

export type PortalQuery<Id extends PortalRouteId> = StaticOf<Schemas[Id]['query']>
export type PortalBody<Id extends PortalRouteId> = StaticOf<Schemas[Id]['body']>
export type PortalResult<Id extends PortalRouteId> = StaticOf<Schemas[Id]['result']>
