import { Paper, Skeleton, Stack, Table, Text } from '@mantine/core'
import { shortDate } from '../../ui/format.ts'
import { useCall } from '../shared/account.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { SettingsSection } from './settings-section.tsx'

const HOW = 'tributary fx set --from EUR --to USD --rate 1.0853'

/** Rates belong to the whole installation, so they are set on its machine. */
export function RateSettings() {
  const rates = useCall('listRates')
  return (
    <SettingsSection
      title="FX rates"
      note="What a sale in one currency earns in another. A sale without a rate waits until there is one."
      action={<ExportLink route="exportRates" />}
    >
      <Stack gap="lg">
        {rates.isPending && <Skeleton height={160} aria-label="Loading" />}
        {rates.isError && <ErrorNotice error={rates.error} retry={() => void rates.refetch()} />}
        {rates.data && (
          <Paper withBorder style={{ overflow: 'hidden' }}>
            {rates.data.data.length === 0 ? (
              <EmptyState title="No rate yet">
                None is needed while you sell in the currency that you pay out in.
              </EmptyState>
            ) : (
              <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
                <Table aria-label="Rates of exchange">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>One</Table.Th>
                      <Table.Th>Is</Table.Th>
                      <Table.Th>Since</Table.Th>
                      <Table.Th>Source</Table.Th>
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
                        <Table.Td>{source === 'manual' ? 'Set by hand' : source}</Table.Td>
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
            Rates hold for the whole installation. Whoever runs it sets them with a command:
          </Text>
          <SourceText text={HOW} label="command" />
          <Text size="sm" c="dimmed" mt="xs">
            Or sets <code>TRIBUTARY_FX_URL</code>, and they are fetched every day. A rate that was set by hand
            is never replaced by one that was fetched.
          </Text>
        </div>
      </Stack>
    </SettingsSection>
  )
}
