import { Paper, Skeleton, Stack, Table, Text } from '@mantine/core'
import { shortDate } from '../../ui/format.ts'
import { useCall } from '../shared/account.tsx'
import { CodeText } from '../shared/code-text.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'
import { SettingsSection } from './settings-section.tsx'

const { rates: labels } = texts

/** Rates apply to the whole installation, so they are set on the server. */
export function RateSettings() {
  const rates = useCall('listRates')
  return (
    <SettingsSection
      title={texts.sections.rates}
      note={labels.note}
      action={<ExportLink route="exportRates" />}
    >
      <Stack gap="lg">
        {rates.isPending && <Skeleton height={160} role="status" aria-label={shared.states.loading} />}
        {rates.isError && <ErrorNotice error={rates.error} retry={() => void rates.refetch()} />}
        {rates.data && (
          <Paper withBorder style={{ overflow: 'hidden' }}>
            {rates.data.data.length === 0 ? (
              <EmptyState title={labels.empty}>{labels.emptyNote}</EmptyState>
            ) : (
              <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
                <Table aria-label={texts.sections.rates}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{labels.columns.from}</Table.Th>
                      <Table.Th>{labels.columns.rate}</Table.Th>
                      <Table.Th>{labels.columns.date}</Table.Th>
                      <Table.Th>{labels.columns.source}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {rates.data.data.map(({ base, quote, rate, day, source }) => (
                      <Table.Tr key={`${base}${quote}`}>
                        <Table.Td>{base}</Table.Td>
                        <Table.Td style={{ fontVariantNumeric: 'tabular-nums' }}>
                          {rate} {quote}
                        </Table.Td>
                        <Table.Td>{shortDate(`${day}T12:00:00`)}</Table.Td>
                        <Table.Td>{source === 'manual' ? labels.manual : source}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            )}
          </Paper>
        )}
        <div>
          <Text size="sm" mb="xs">
            {labels.howToSet}
          </Text>
          <SourceText text={labels.setCommand} label={labels.command} />
          <Text size="sm" c="dimmed" mt="xs">
            <CodeText>{labels.howToFetch}</CodeText>
          </Text>
        </div>
      </Stack>
    </SettingsSection>
  )
}
