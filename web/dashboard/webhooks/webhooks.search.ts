import { id, isSet, oneOf, searchOf, text } from '../shared/search.ts'

export const webhooksSearch = searchOf({
  q: text,
  endpoint_id: id,
  status: oneOf(['pending', 'delivered', 'failed', 'canceled']),
  event_id: id,
  is_failing: isSet,
})
