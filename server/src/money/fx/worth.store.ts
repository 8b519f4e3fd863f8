import { currencyCodes } from '@tributary/contract/money'
import { type Sql, sql } from '../../db/sql.ts'
import { exponentOf } from '../../kit/money.ts'
import { exchangeRate } from './fx-rate.store.ts'

const unitOf = (currency: string) => (1 / 10 ** exponentOf(currency)).toFixed(exponentOf(currency))

/** What a minor unit is of its currency, where it is not a hundredth. */
const unusualUnits = JSON.stringify(
  Object.fromEntries(
    currencyCodes()
      .filter(code => exponentOf(code) !== 2)
      .map(code => [code, unitOf(code)]),
  ),
)

/**
 * What a minor unit of a currency is worth on a day, in whole units of the reporting currency, as an expression of an exact numeric; null
 * without a rate, or without a reporting currency. A sum of amounts is multiplied by it for each day, and rounded once.
 */
export const worthOf = (currency: Sql, day: Sql, reporting: string | null): Sql =>
  reporting === null
    ? sql`NULL::numeric`
    : sql`
        CASE WHEN ${currency} = ${reporting} THEN 1 ELSE (${exchangeRate(currency, sql`${reporting}::text`, day)})[1]::numeric END
          * coalesce((${unusualUnits}::jsonb ->> ${currency})::numeric, 0.01)`
