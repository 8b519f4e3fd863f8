import { exploreSources } from '@tributary/contract/dashboard/explore-dimensions'
import { day, id, isSet, oneOf, searchOf, text } from '../shared/search.ts'

export const commissionsSearch = searchOf({
  q: text,
  status: oneOf(['pending', 'approved', 'paid', 'void']),
  entry_type: oneOf(['earned', 'clawback', 'adjustment', 'payout', 'credit']),
  affiliate_id: id,
  campaign_id: id,
  referral_id: id,
  beneficiary: oneOf(['affiliate', 'referrer', 'referee']),
  clears_soon: isSet,
  is_counted: isSet,
  source: oneOf(exploreSources),
  source_value: text,
  from: day,
  until: day,
})
