import { id, oneOf, searchOf, text } from '../shared/search.ts'

export const auditSearch = searchOf({
  actor_kind: oneOf(['user', 'api_key', 'command', 'affiliate']),
  action: text,
  subject_id: id,
})
