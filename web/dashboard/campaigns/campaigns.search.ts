import { oneOf, searchOf } from '../shared/search.ts'

export const campaignsSearch = searchOf({
  program_type: oneOf(['affiliate', 'referral']),
  visibility: oneOf(['public', 'private']),
})
