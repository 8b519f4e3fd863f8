import { listSorts } from '@tributary/contract/dashboard/explore-dimensions'
import { presets } from '@tributary/contract/dashboard/ranges'
import { id, oneOf, searchOf, text } from '../shared/search.ts'

export const affiliatesSearch = searchOf({
  period: oneOf(presets),
  sort: oneOf(listSorts),
  q: text,
  status: oneOf(['pending', 'approved', 'rejected']),
  campaign_id: id,
  kind: oneOf(['affiliate', 'customer']),
  tag: text,
})
