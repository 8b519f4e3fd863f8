import type {
  PortalBody,
  PortalQuery,
  PortalResult,
  PortalRouteId,
  portalRoutes,
} from '@tributary/contract/portal'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import type { IdIn } from '../kit/path-id.ts'

/** An affiliate who is signed in. */
export interface SignedIn {
  affiliateId: number
  email: string
  /** Whether they signed in so lately that they may change where their money goes. */
  isFresh: boolean
  /** What the session is called, for the page to prove where changes come from. */
  sessionToken: string
}

/** For calls that answer with a file. */
interface FileReading {
  /** What the file is read from, at its reader's pace. */
  files: Db
  /** Comes when the reader has gone. */
  signal: AbortSignal
}

type RouteOf<Id extends PortalRouteId> = (typeof portalRoutes)[Id]
type FilesOf<Path extends string> = Path extends `${string}.${'csv' | 'pdf'}` ? FileReading : object

/** A call of the portal, by an affiliate who is signed in or by anybody. */
export type PortalCall<Id extends PortalRouteId> = Services &
  IdIn<RouteOf<Id>[1]> &
  FilesOf<RouteOf<Id>[1]> &
  (RouteOf<Id>[2] extends 'affiliate' ? SignedIn : object) & {
    accountId: number
    query: PortalQuery<Id>
    body: PortalBody<Id>
  }

export type PortalHandlers<Id extends PortalRouteId> = {
  [Each in Id]: (call: PortalCall<Each>) => Promise<PortalResult<Each>>
}
