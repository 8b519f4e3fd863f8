import { day, id, isSet, oneOf, searchOf } from '../shared/search.ts'

export const commissionsSearch = searchOf({
  status: oneOf(['pending', 'approved', 'paid', 'void']),
  entry_type: oneOf(['earned', 'clawback', 'adjustment', 'payout', 'credit']),
  affiliate_id: id,
  campaign_id: id,
  referral_id: id,
  beneficiary: oneOf(['affiliate', 'referrer', 'referee']),
  clears_soon: isSet,
  is_counted: isSet,
  from: day,
  until: day,
})
