import { id, oneOf, searchOf, text } from '../shared/search.ts'

export const affiliatesSearch = searchOf({
  q: text,
  status: oneOf(['pending', 'approved', 'rejected']),
  campaign_id: id,
  kind: oneOf(['affiliate', 'customer']),
  tag: text,
})
