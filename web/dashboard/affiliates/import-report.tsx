import { Alert, Button, Group, Paper, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import type { ImportReport } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { refusedAsCsv } from './refused-as-csv.ts'

const SHOWN_LINES = 100

/** The refused lines as a file, made here: the page has them all. */
function save(refused: ImportReport['refused']): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([refusedAsCsv(refused)], { type: 'text/csv' }))
  link.download = 'refused-lines.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}

/** What an import would do, or has done. */
export function ImportReportShown({ report, isDryRun }: { report: ImportReport; isDryRun: boolean }) {
  const figures = [
    { title: isDryRun ? 'Would be added' : 'Added', value: report.created },
    { title: isDryRun ? 'Known, would be enrolled' : 'Known, now enrolled', value: report.enrolled },
    { title: 'Known and enrolled already', value: report.unchanged },
    { title: 'Refused', value: report.refused.length, colour: 'red' },
  ]
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {figures.map(({ title, value, colour }) => (
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
        <Alert variant="light" color="yellow" title="Columns that are left out">
          {report.ignored_columns.join(', ')}. Known columns are email, name, token, coupon_code, paypal_email
          and tags.
        </Alert>
      )}
      {report.refused.length > 0 && <RefusedLines refused={report.refused} />}
    </Stack>
  )
}

function RefusedLines({ refused }: { refused: ImportReport['refused'] }) {
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Text fw={600} size="sm">
          Refused lines
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={14} />}
          onClick={() => save(refused)}
        >
          Save as CSV
        </Button>
      </Group>
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Refused lines">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Line</Table.Th>
                <Table.Th>Email</Table.Th>
                <Table.Th>Why</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {refused.slice(0, SHOWN_LINES).map(({ line, email, reason }) => (
                <Table.Tr key={line}>
                  <Table.Td>{line}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{email || '–'}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {refused.length > SHOWN_LINES && (
        <Text size="sm" c="dimmed" mt="xs">
          And {count(refused.length - SHOWN_LINES)} more, which the file holds too.
        </Text>
      )}
    </div>
  )
}
