import { Badge, Paper, Table, Text } from '@mantine/core'
import type { ReferralDetail } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { Copy, When } from '../shared/facts.tsx'

const unearned = {
  affiliate_rejected: 'No commission: the affiliate was rejected when this sale was reported.',
  referral_rejected: 'No commission: the referral was rejected when this sale was reported.',
  amount_too_large:
    'No commission yet: at that day’s exchange rate it exceeds the maximum amount. Check the rate.',
} as const

/** What the customer bought, and what went back. */
export function ReferralSales({ referral }: { referral: ReferralDetail }) {
  const { sales, refunds, more_sales } = referral
  if (sales.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No sale of this customer has been reported yet.
      </Text>
    )
  return (
    <>
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={480}>
          <Table aria-label="Sales and refunds">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Sale</Table.Th>
                <Table.Th ta="right">Amount</Table.Th>
                <Table.Th>When</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sales.flatMap(sale => [
                <Table.Tr key={sale.id}>
                  <Table.Td>
                    <Copy value={sale.external_id} label="Copy the sale’s id">
                      {sale.external_id}
                    </Copy>
                    {sale.awaits_rate && (
                      <Text size="xs" c="dimmed">
                        <Badge size="xs" color="yellow" variant="light" tt="none" autoContrast mr={6}>
                          Waits
                        </Badge>
                        {!sale.unearned_reason && 'It earns when the rate of exchange of its day is known.'}
                      </Text>
                    )}
                    {sale.unearned_reason && (
                      <Text size="xs" c="dimmed">
                        {unearned[sale.unearned_reason]}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money minor={sale.amount_minor} currency={sale.currency} />
                  </Table.Td>
                  <Table.Td>
                    <When time={sale.occurred_at} />
                  </Table.Td>
                </Table.Tr>,
                ...refunds
                  .filter(({ sale_id }) => sale_id === sale.id)
                  .map(refund => (
                    <Table.Tr key={`refund-${refund.id}`}>
                      <Table.Td pl="xl">
                        <Text span inherit c="dimmed">
                          Refund
                        </Text>{' '}
                        <Copy value={refund.external_id} label="Copy the refund’s id">
                          {refund.external_id}
                        </Copy>
                      </Table.Td>
                      <Table.Td ta="right">
                        <Money minor={-refund.amount_minor} currency={sale.currency} />
                      </Table.Td>
                      <Table.Td>
                        <When time={refund.occurred_at} />
                      </Table.Td>
                    </Table.Tr>
                  )),
              ])}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {more_sales && (
        <Text size="sm" c="dimmed" mt="xs">
          The newest {sales.length} sales are shown; older ones are among the commissions below.
        </Text>
      )}
    </>
  )
}
