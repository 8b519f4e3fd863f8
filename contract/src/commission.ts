import { type Static, Type } from 'typebox'
import { Currency, closed, Id, listOf, listQuery, Minor, nullable, oneOf, Timestamp } from './fields.ts'

export const EntryType = oneOf(['earned', 'clawback', 'adjustment', 'payout', 'credit'])
export const Beneficiary = oneOf(['affiliate', 'referrer', 'referee'])
export const CommissionStatus = oneOf(['pending', 'approved', 'paid', 'void'])

export const Commission = closed(
  {
    id: Id,
    campaign_id: Id,
    affiliate_id: Id,
    referral_id: nullable(Id),
    entry_type: EntryType,
    beneficiary: Beneficiary,
    amount_minor: Minor,
    currency: Currency,
    payout_amount_minor: Minor,
    payout_currency: Currency,
    status: CommissionStatus,
    hold_until: nullable(Timestamp),
    description: nullable(Type.String()),
    created_at: Timestamp,
  },
  { description: 'An entry of the ledger. Amounts never change: a correction is a new entry.' },
)
export type Commission = Static<typeof Commission>

export const CommissionList = listOf(Commission)

export const UpdateCommission = closed({
  status: oneOf(['approved', 'void'], 'Only a pending commission can be approved or voided'),
})
export type UpdateCommission = Static<typeof UpdateCommission>

export const ListCommissionsQuery = listQuery({
  campaign_id: Type.Optional(Id),
  affiliate_id: Type.Optional(Id),
  referral_id: Type.Optional(Id),
  status: Type.Optional(CommissionStatus),
  entry_type: Type.Optional(EntryType),
  beneficiary: Type.Optional(Beneficiary),
})
export type ListCommissionsQuery = Static<typeof ListCommissionsQuery>
