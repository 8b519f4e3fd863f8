import type { Cohorts } from '@tributary/contract/dashboard'
import { csvLine } from '../../kit/csv.ts'
import { formatMinor } from '../../kit/money.ts'

/** A line for each month of each cohort, so that a spreadsheet can pivot them. */
export async function* csvCohorts({ currency, data }: Cohorts): AsyncGenerator<string> {
  const amount = currency ? [`cumulated_${currency}`, `cumulated_per_customer_${currency}`] : []
  yield csvLine(['cohort', 'customers', 'months_since', 'buyers', ...amount])
  for (const { month, customers, months } of data)
    yield months
      .map(({ buyers, cumulated_minor, is_whole }, since) =>
        csvLine([
          month.slice(0, 7),
          customers,
          since,
          buyers,
          ...(currency
            ? [
                formatMinor(cumulated_minor, currency),
                customers === 0 || !is_whole
                  ? null
                  : formatMinor(Math.round(cumulated_minor / customers), currency),
              ]
            : []),
        ]),
      )
      .join('')
}
