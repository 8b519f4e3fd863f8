import { exploreSources } from '@tributary/contract/dashboard/explore-dimensions'
import { day, id, isSet, oneOf, searchOf, text, yesOrNo } from '../shared/search.ts'

export const referralsSearch = searchOf({
  view: oneOf(['unattributed']),
  status: oneOf(['pending_review', 'approved', 'rejected', 'all']),
  customer_ref: text,
  campaign_id: id,
  affiliate_id: id,
  is_test: yesOrNo,
  is_recent: isSet,
  is_counted: isSet,
  source: oneOf(exploreSources),
  source_value: text,
  from: day,
  until: day,
})
