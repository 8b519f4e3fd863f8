import { id, isSet, oneOf, searchOf } from '../shared/search.ts'

export const webhooksSearch = searchOf({
  endpoint_id: id,
  status: oneOf(['pending', 'delivered', 'failed', 'canceled']),
  event_id: id,
  is_failing: isSet,
})
