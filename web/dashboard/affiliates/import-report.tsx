import { Alert, Button, Group, Paper, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import type { ImportReport } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { texts as shared } from '../shared/en.ts'
import { texts } from './en.ts'
import { skippedRowsCsv } from './skipped-rows-csv.ts'

const { report: labels } = texts
const SHOWN_ROWS = 100

/** Saves the skipped rows as a file, built in the browser: the page already has all of them. */
function save(refused: ImportReport['refused']): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([skippedRowsCsv(refused)], { type: 'text/csv' }))
  link.download = 'skipped-rows.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** The result of an import or of its preview. */
export function ImportReportView({ report, isDryRun }: { report: ImportReport; isDryRun: boolean }) {
  const totals = [
    { title: isDryRun ? labels.toAdd : labels.added, value: report.created },
    { title: isDryRun ? labels.toEnrol : labels.enrolled, value: report.enrolled },
    { title: labels.unchanged, value: report.unchanged },
    { title: labels.skipped, value: report.refused.length, colour: 'red' },
  ]
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {totals.map(({ title, value, colour }) => (
          <Paper key={title} withBorder p="sm">
            <Text size="xs" c="dimmed">
              {title}
            </Text>
            <Text fz={24} fw={650} c={value > 0 ? colour : undefined}>
              {count(value)}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
      {report.ignored_columns.length > 0 && (
        <Alert variant="light" color="yellow" title={labels.ignoredColumns}>
          {labels.ignoredNote(report.ignored_columns)}
        </Alert>
      )}
      {report.refused.length > 0 && <SkippedRows refused={report.refused} />}
    </Stack>
  )
}

function SkippedRows({ refused }: { refused: ImportReport['refused'] }) {
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Text fw={600} size="sm">
          {labels.skippedRows}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={14} />}
          onClick={() => save(refused)}
        >
          {labels.download}
        </Button>
      </Group>
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={labels.skippedRows}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{labels.line}</Table.Th>
                <Table.Th>{texts.fields.email}</Table.Th>
                <Table.Th>{labels.reason}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {refused.slice(0, SHOWN_ROWS).map(({ line, email, reason }) => (
                <Table.Tr key={line}>
                  <Table.Td>{line}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{email || shared.states.none}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {refused.length > SHOWN_ROWS && (
        <Text size="sm" c="dimmed" mt="xs">
          {labels.more(refused.length - SHOWN_ROWS)}
        </Text>
      )}
    </div>
  )
}
