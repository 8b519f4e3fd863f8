import { connectorEventStatuses } from '@tributary/contract/dashboard/connector-providers'
import { oneOf, searchOf } from '../shared/search.ts'

export const connectorSearch = searchOf({ status: oneOf(connectorEventStatuses) })
