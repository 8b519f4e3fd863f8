import { type Static, Type } from 'typebox'
import { Currency, closed, Id, nullable, SumMinor, Timestamp } from '../fields.ts'
import { change, Done, read } from './schema.ts'

/** The first steps of a new account, done or not. */
export const FirstSteps = closed({
  campaign: Type.Boolean(),
  affiliate: Type.Boolean(),
  api_key: Type.Boolean(),
  /** Whether the tracker on the merchant's pages has reported. */
  tracker: Type.Boolean(),
  conversion: Type.Boolean(),
  /** A payout or a test payout. */
  payout: Type.Boolean(),
})
export type FirstSteps = Static<typeof FirstSteps>

/** An approved affiliate and their campaign, to fill the sample with. */
export const SampleConversion = closed({
  token: Type.String(),
  affiliate_name: Type.String(),
  campaign_id: Id,
  currency: Currency,
})
export type SampleConversion = Static<typeof SampleConversion>

/** The newest conversion. */
export const ReceivedConversion = closed({
  at: Timestamp,
  customer_ref: Type.String(),
  /** Null if no one was credited. */
  referral_id: nullable(Id),
  affiliate_name: nullable(Type.String()),
  /** The first commission that the affiliate has earned by it. Null until there is one. */
  commission_minor: nullable(SumMinor),
  commission_currency: nullable(Currency),
})
export type ReceivedConversion = Static<typeof ReceivedConversion>

const ChecklistSteps = closed({
  ...FirstSteps.properties,
  /** Whether a billing system has sent an event. */
  billing: Type.Boolean(),
})

export const Checklist = closed({
  /** Whether the overview shows it: until it is dismissed. */
  is_shown: Type.Boolean(),
  done: ChecklistSteps,
  /** The tracking script, on the account's custom domain if it has one. */
  script_url: Type.String(),
  sample: nullable(SampleConversion),
  received: nullable(ReceivedConversion),
})
export type Checklist = Static<typeof Checklist>

export const firstStepsSchemas = {
  getChecklist: read(Checklist),
  dismissChecklist: change(closed({}), Done),
}
