import { id, oneOf, searchOf } from '../shared/search.ts'

export const campaignsSearch = searchOf({
  program_type: oneOf(['affiliate', 'referral']),
  visibility: oneOf(['public', 'private']),
  status: oneOf(['active', 'paused', 'archived']),
})

/** The campaign that a new one is a copy of. */
export const newCampaignSearch = searchOf({ copy: id })
