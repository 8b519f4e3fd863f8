import { type Sql, sql } from '../../db/sql.ts'

/** What reports count as a conversion, as a condition on the referral aliased `r`: neither test data nor rejected. */
export const countsAsConversion: Sql = sql`NOT r.is_test AND r.status <> 'rejected'`
