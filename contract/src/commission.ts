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
    id: described(Id, 'ID of the ledger entry'),
    campaign_id: described(Id, 'ID of the campaign'),
    affiliate_id: described(Id, 'ID of the affiliate'),
    referral_id: nullable(described(Id, 'ID of the referral that earned it')),
    entry_type: described(EntryType, 'Type of the entry; clawbacks and payouts are negative'),
    beneficiary: described(
      Beneficiary,
      'Who receives it: the affiliate, or the referrer or referee of a referral campaign',
    ),
    amount_minor: described(Minor, 'Amount in minor units of `currency`'),
    currency: described(Currency, 'ISO-4217 code of the sale'),
    payout_amount_minor: described(Minor, 'The same amount in minor units of `payout_currency`'),
    payout_currency: described(Currency, 'ISO-4217 code of the currency that the affiliate is paid in'),
    status: described(CommissionStatus, '`paid` and `void` are final'),
    hold_until: nullable(described(Timestamp, 'When the hold ends and the commission clears')),
    description: nullable(Type.String({ description: 'Note for people' })),
    created_at: Timestamp,
  },
  { description: 'A ledger entry. Amounts never change: a correction is a new entry.' },
)
export type Commission = Static<typeof Commission>

export const CommissionList = listOf(Commission)

export const UpdateCommission = closed({
  status: oneOf(['approved', 'void'], 'Only a pending commission can be approved or voided'),
})
export type UpdateCommission = Static<typeof UpdateCommission>

export const ListCommissionsQuery = listQuery({
  campaign_id: Type.Optional(described(Id, 'Only entries of this campaign')),
  affiliate_id: Type.Optional(described(Id, 'Only entries of this affiliate')),
  referral_id: Type.Optional(described(Id, 'Only entries of this referral')),
  status: Type.Optional(described(CommissionStatus, 'Only entries with this status')),
  entry_type: Type.Optional(described(EntryType, 'Only entries of this type')),
  beneficiary: Type.Optional(described(Beneficiary, 'Only entries for this beneficiary')),
  is_test: Type.Optional(
    Type.Boolean({
      description: '`true` for entries of test referrals only, `false` for all others; both by default',
    }),
  ),
})
export type ListCommissionsQuery = Static<typeof ListCommissionsQuery>
