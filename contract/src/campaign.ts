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
    id: described(Id, 'ID of the campaign'),
    name: Type.String({ description: 'Name shown to your team and affiliates' }),
    slug: Type.String({ description: 'Identifies the campaign in links' }),
    program_type: described(
      ProgramType,
      '`affiliate` for partners, `referral` for customers who refer friends',
    ),
    visibility: described(Visibility, 'Whether the portal lists the campaign'),
    payout_currency: described(Currency, 'ISO-4217 code of the currency that affiliates are paid in'),
    attribution_model: described(
      AttributionModel,
      'Which click is credited; a coupon code takes precedence in both models',
    ),
    attribution_window_days: Type.Integer({
      description: 'Attribution window: days after a click in which a conversion is credited',
    }),
    hold_days: Type.Integer({ description: 'Days after a sale until its commission clears' }),
    minimum_payout_minor: described(Minor, 'Minimum payout, in minor units of `payout_currency`'),
    open_enrollment: Type.Boolean({
      description: 'Whether affiliates can join without being enrolled by you',
    }),
    destination_url: nullable(Type.String({ description: 'Page that affiliate links lead to' })),
    created_at: Timestamp,
  },
  { description: 'The terms that enrolled affiliates earn commissions under.' },
)
export type Campaign = Static<typeof Campaign>

export const CampaignList = listOf(Campaign)

export const ListCampaignsQuery = listQuery({
  program_type: Type.Optional(described(ProgramType, 'Only campaigns of this type')),
  visibility: Type.Optional(described(Visibility, 'Only campaigns with this visibility')),
})
export type ListCampaignsQuery = Static<typeof ListCampaignsQuery>
