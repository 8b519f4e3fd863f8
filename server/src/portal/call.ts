import type { PortalBody, PortalQuery, PortalResult, PortalRouteId } from '@tributary/contract/portal'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'

/** A call of the portal. Of an affiliate who is signed in, or of anybody: then it has no affiliate. */
export interface PortalCall<Id extends PortalRouteId> extends Services {
  /** What a file is read from, at its reader's pace. There for calls that give one, and so is the signal. */
  files: Db
  /** Comes when the reader of a file has gone. */
  signal: AbortSignal
  accountId: number
  affiliateId: number
  email: string
  /** Whether they signed in so lately that they may change where their money goes. */
  isFresh: boolean
  /** What the session is called, for the page to prove where changes come from. */
  sessionToken: string
  /** The identifier in the path; 0 where the path has none. */
  id: number
  query: PortalQuery<Id>
  body: PortalBody<Id>
}

export type PortalHandlers<Id extends PortalRouteId> = {
  [Each in Id]: (call: PortalCall<Each>) => Promise<PortalResult<Each>>
}
