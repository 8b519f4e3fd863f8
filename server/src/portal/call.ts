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

/** A signed-in affiliate. */
export interface SignedIn {
  affiliateId: number
  email: string
  status: 'pending' | 'approved'
  /** Whether they signed in recently enough to change their payout address. */
  isFresh: boolean
  /** The session's token, from which the CSRF token is derived. */
  sessionToken: string
  /** Set when a member of the company's team views the portal; such a call changes nothing. */
  view: { userId: number; viewer: string; expiresAt: string } | undefined
}

/** For calls that respond with a file. */
interface FileReading {
  /** The pool for exports, which are read at the client's pace. */
  files: Db
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

type RouteOf<Id extends PortalRouteId> = (typeof portalRoutes)[Id]
type FilesOf<Path extends string> = Path extends `${string}${'.csv' | '.pdf' | '/file'}`
  ? FileReading
  : object

/** A call of the portal, by a signed-in affiliate or a visitor. */
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
