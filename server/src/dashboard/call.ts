import type {
  DashboardBody,
  DashboardQuery,
  DashboardResult,
  DashboardRouteId,
  dashboardRoutes,
  Role,
} from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'
import type { IdIn } from '../kit/path-id.ts'

type PathOf<Id extends DashboardRouteId> = (typeof dashboardRoutes)[Id][1]

/** The connection that a file is read from, at the client's pace and outside any transaction. */
type FilesOf<Path extends string> = Path extends `${string}${'.csv' | '/file'}` ? { files: Db } : object

/** A dashboard call by a signed-in user with permission for it. */
export type DashboardCall<Id extends DashboardRouteId> = Services &
  IdIn<PathOf<Id>> &
  FilesOf<PathOf<Id>> & {
    accountId: number
    userId: number
    role: Role
    query: DashboardQuery<Id>
    body: DashboardBody<Id>
    /** Adds details to the audit entry, such as the name of the subject, which may be deleted later. */
    note(facts: object): void
  }

type DashboardHandler<Id extends DashboardRouteId> = (call: DashboardCall<Id>) => Promise<DashboardResult<Id>>

/** The dashboard handlers of one area. */
export type DashboardHandlers<Id extends DashboardRouteId> = { [Each in Id]: DashboardHandler<Each> }
