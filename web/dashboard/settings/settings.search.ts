import { mailStatuses } from '@tributary/contract/dashboard/mails'
import { oneOf, searchOf, text } from '../shared/search.ts'

/** The filters of the emails; the other sections have none. */
export const settingsSearch = searchOf({ q: text, status: oneOf(mailStatuses) })
