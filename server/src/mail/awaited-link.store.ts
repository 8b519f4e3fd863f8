import { sql } from '../db/sql.ts'

/** Whether someone is waiting for an email of this kind: its link expires soon, so it goes first. The queues' indexes have the same list. */
export const isAwaitedLink = sql`kind IN ('sign_in_link', 'password_reset', 'confirm_join')`
