import { id, oneOf, searchOf } from '../shared/search.ts'

export const overviewSearch = searchOf({ days: oneOf(['7', '30', '90', '365']), campaign_id: id })
