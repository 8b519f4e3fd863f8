import { listSorts } from '@tributary/contract/dashboard/explore-dimensions'
import { presets } from '@tributary/contract/dashboard/ranges'
import { id, oneOf, searchOf, text } from '../shared/search.ts'

export const campaignsSearch = searchOf({
  q: text,
  period: oneOf(presets),
  sort: oneOf(listSorts),
  program_type: oneOf(['affiliate', 'referral']),
  visibility: oneOf(['public', 'private']),
  status: oneOf(['active', 'paused', 'archived']),
})

/** The campaign that a new one is a copy of. */
export const newCampaignSearch = searchOf({ copy: id })
