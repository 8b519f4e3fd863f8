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

/** What a file is read from, at its reader's pace and outside of any change's transaction. */
type FilesOf<Path extends string> = Path extends `${string}.csv` ? { files: Db } : object

/** A call of the dashboard by a person who is signed in and may make it. */
export type DashboardCall<Id extends DashboardRouteId> = Services &
  IdIn<PathOf<Id>> &
  FilesOf<PathOf<Id>> & {
    accountId: number
    userId: number
    role: Role
    query: DashboardQuery<Id>
    body: DashboardBody<Id>
    /** Adds to what the audit log says of a change: what it concerned by name, which may be gone when somebody reads it. */
    note(facts: object): void
  }

type DashboardHandler<Id extends DashboardRouteId> = (call: DashboardCall<Id>) => Promise<DashboardResult<Id>>

/** What a noun brings to the dashboard. */
export type DashboardHandlers<Id extends DashboardRouteId> = { [Each in Id]: DashboardHandler<Each> }
