import { type Static, Type } from 'typebox'
import { Currency, closed, Id, listOf, listQuery, Minor, nullable, oneOf, Timestamp } from './fields.ts'

export const ProgramType = oneOf(['affiliate', 'referral'])
export const Visibility = oneOf(['public', 'private'])
export const AttributionModel = oneOf(['last_click', 'first_click'])

export const Campaign = closed(
  {
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    program_type: ProgramType,
    visibility: Visibility,
    payout_currency: Currency,
    attribution_model: AttributionModel,
    attribution_window_days: Type.Integer({ description: 'Days' }),
    hold_days: Type.Integer({ description: 'Days' }),
    minimum_payout_minor: Minor,
    open_enrollment: Type.Boolean({ description: 'Whether people may join from the portal by themselves' }),
    destination_url: nullable(Type.String()),
    created_at: Timestamp,
  },
  { description: 'The terms under which affiliates promote.' },
)
export type Campaign = Static<typeof Campaign>

export const CampaignList = listOf(Campaign)

export const ListCampaignsQuery = listQuery({
  program_type: Type.Optional(ProgramType),
  visibility: Type.Optional(Visibility),
})
export type ListCampaignsQuery = Static<typeof ListCampaignsQuery>
