import type {
  DashboardBody,
  DashboardQuery,
  DashboardResult,
  DashboardRouteId,
  Role,
} from '@tributary/contract/dashboard'
import type { Db } from '../db/database.ts'
import type { Services } from '../db/services.ts'

/** A call of the dashboard by a person who is signed in and may make it. */
export interface DashboardCall<Id extends DashboardRouteId> extends Services {
  /** What a file is read from, at its reader's pace and outside of any change's transaction. There for calls that give one. */
  files: Db
  accountId: number
  userId: number
  role: Role
  /** The identifier in the path; 0 where the path has none. */
  id: number
  query: DashboardQuery<Id>
  body: DashboardBody<Id>
  /** Adds to what the audit log tells of a change: what it concerned by name, which may be gone when somebody reads it. */
  note(facts: object): void
}

type DashboardHandler<Id extends DashboardRouteId> = (call: DashboardCall<Id>) => Promise<DashboardResult<Id>>

/** What a noun brings to the dashboard. */
export type DashboardHandlers<Id extends DashboardRouteId> = { [Each in Id]: DashboardHandler<Each> }
