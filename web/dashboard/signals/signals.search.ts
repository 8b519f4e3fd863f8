import { signalKinds } from '@tributary/contract/dashboard/signal-kinds'
import { id, oneOf, searchOf } from '../shared/search.ts'

export const signalsSearch = searchOf({
  status: oneOf(['open', 'decided', 'closed']),
  kind: oneOf(signalKinds),
  affiliate_id: id,
})
