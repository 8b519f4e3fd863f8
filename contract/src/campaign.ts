import { type Static, Type } from 'typebox'
import {
  Currency,
  closed,
  described,
  Id,
  listOf,
  listQuery,
  Minor,
  nullable,
  oneOf,
  Timestamp,
} from './fields.ts'

export const ProgramType = oneOf(['affiliate', 'referral'])
export const Visibility = oneOf(['public', 'private'])
export const AttributionModel = oneOf(['last_click', 'first_click'])

export const Campaign = closed(
  {
    id: described(Id, 'The campaign'),
    name: Type.String({ description: 'As people see it' }),
    slug: Type.String({ description: 'Its name in links' }),
    program_type: described(ProgramType, 'Partners promote, or customers recommend'),
    visibility: described(Visibility, 'Whether the portal lists it'),
    payout_currency: described(Currency, 'ISO-4217 code of what is paid out'),
    attribution_model: described(AttributionModel, 'Which click wins; a coupon code beats clicks in both'),
    attribution_window_days: Type.Integer({ description: 'Days for which a click counts' }),
    hold_days: Type.Integer({ description: 'Days for which a commission waits for refunds' }),
    minimum_payout_minor: described(Minor, 'Smallest payout, in minor units of `payout_currency`'),
    open_enrollment: Type.Boolean({ description: 'Whether people may join from the portal by themselves' }),
    destination_url: nullable(Type.String({ description: 'Where links lead' })),
    created_at: Timestamp,
  },
  { description: 'The terms under which affiliates promote.' },
)
export type Campaign = Static<typeof Campaign>

export const CampaignList = listOf(Campaign)

export const ListCampaignsQuery = listQuery({
  program_type: Type.Optional(described(ProgramType, 'Of this type')),
  visibility: Type.Optional(described(Visibility, 'Of this visibility')),
})
export type ListCampaignsQuery = Static<typeof ListCampaignsQuery>
