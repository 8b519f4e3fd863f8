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

export const EntryType = oneOf(['earned', 'clawback', 'adjustment', 'payout', 'credit'])
export const Beneficiary = oneOf(['affiliate', 'referrer', 'referee'])
export const CommissionStatus = oneOf(['pending', 'approved', 'paid', 'void'])

export const Commission = closed(
  {
    id: described(Id, 'The entry'),
    campaign_id: described(Id, 'Its campaign'),
    affiliate_id: described(Id, 'Whose ledger it is in'),
    referral_id: nullable(described(Id, 'The referral it comes from')),
    entry_type: described(EntryType, 'What it records; clawbacks and payouts are negative'),
    beneficiary: described(Beneficiary, 'Who is rewarded'),
    amount_minor: described(Minor, 'In minor units of `currency`'),
    currency: described(Currency, 'ISO-4217 code of the sale'),
    payout_amount_minor: described(Minor, 'The same amount in minor units of `payout_currency`'),
    payout_currency: described(Currency, 'ISO-4217 code of what is paid out'),
    status: described(CommissionStatus, 'How far it has come; `paid` and `void` are final'),
    hold_until: nullable(described(Timestamp, 'Until when it waits for refunds')),
    description: nullable(Type.String({ description: 'In words' })),
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
  campaign_id: Type.Optional(described(Id, 'Of this campaign')),
  affiliate_id: Type.Optional(described(Id, 'Of this affiliate')),
  referral_id: Type.Optional(described(Id, 'From this referral')),
  status: Type.Optional(described(CommissionStatus, 'In this status')),
  entry_type: Type.Optional(described(EntryType, 'Of this type')),
  beneficiary: Type.Optional(described(Beneficiary, 'For this beneficiary')),
  is_test: Type.Optional(
    Type.Boolean({
      description: 'Only entries of test referrals, or only others; all where it is not given',
    }),
  ),
})
export type ListCommissionsQuery = Static<typeof ListCommissionsQuery>
