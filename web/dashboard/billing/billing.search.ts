import { connectorEventStatuses } from '@tributary/contract/dashboard/connector-providers'
import { oneOf, searchOf, text } from '../shared/search.ts'

export const connectorSearch = searchOf({ q: text, status: oneOf(connectorEventStatuses) })
