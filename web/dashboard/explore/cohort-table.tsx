import { ScrollArea, Table, Text, Tooltip } from '@mantine/core'
import type { Cohorts } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { type CohortView, cohortCells, largest, monthName } from './cohort-cells.ts'
import { texts } from './en.ts'

const { cohorts: labels } = texts
/** With as many months, the table is as wide as the page. */
const FILLING_COLUMNS = 8
const COLUMN_WIDTH = 96

/** A row for each cohort, a column for each month since. A darker cell is a larger number, which it shows too. */
export function CohortTable({ cohorts, view }: { cohorts: Cohorts; view: CohortView }) {
  const { data } = cohorts
  const currency = cohorts.currency ?? 'USD'
  const most = largest(data, view)
  const columns = Math.max(0, ...data.map(({ months }) => months.length))
  return (
    <ScrollArea type="auto" offsetScrollbars="x" viewportProps={{ tabIndex: 0 }}>
      <Table
        aria-label={labels.views[view]}
        // A few columns would be as wide as the page.
        w={columns < FILLING_COLUMNS ? 'auto' : undefined}
        horizontalSpacing={4}
        verticalSpacing={4}
        withRowBorders={false}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th miw={COLUMN_WIDTH}>{labels.columns.cohort}</Table.Th>
            <Table.Th ta="right">{labels.columns.customers}</Table.Th>
            {Array.from({ length: columns }, (_, since) => (
              <Table.Th
                key={labels.columns.since(since)}
                ta="right"
                miw={columns < FILLING_COLUMNS ? COLUMN_WIDTH : undefined}
                style={{ whiteSpace: 'nowrap' }}
              >
                {labels.columns.since(since)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map(cohort => (
            <Table.Tr key={cohort.month}>
              <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                {monthName(cohort.month)}
              </Table.Th>
              <Table.Td ta="right">{count(cohort.customers)}</Table.Td>
              {cohortCells(cohort, { view, currency, most }).map(({ text, description, strength }, since) => (
                <Table.Td
                  key={labels.columns.since(since)}
                  ta="right"
                  style={{
                    fontVariantNumeric: 'tabular-nums',
                    whiteSpace: 'nowrap',
                    background: `color-mix(in srgb, var(--mantine-primary-color-filled) ${Math.round(strength * 28)}%, transparent)`,
                  }}
                >
                  <Tooltip
                    label={description}
                    events={{ hover: true, focus: true, touch: true }}
                    multiline
                    maw={320}
                  >
                    <Text span inherit tabIndex={0}>
                      {text}
                    </Text>
                  </Tooltip>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}
