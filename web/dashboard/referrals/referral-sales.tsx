import { Badge, Button, Paper, Table, Text } from '@mantine/core'
import type { ReferralDetail, ReferralSale } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Money } from '../../ui/values.tsx'
import { useMay } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { Copy, When } from '../shared/facts.tsx'
import { texts as areaTexts } from './en.ts'
import { RecordRefund } from './record-refund.tsx'

const texts = areaTexts.sales
const { fields } = sharedTexts

/** The customer's sales, each with its refunds. */
export function ReferralSales({ referral }: { referral: ReferralDetail }) {
  const { sales, refunds, more_sales } = referral
  const mayRefund = useMay('money')
  const [toRefund, setToRefund] = useState<ReferralSale | null>(null)
  const leftOf = (sale: ReferralSale) =>
    refunds
      .filter(({ sale_id }) => sale_id === sale.id)
      .reduce((left, { amount_minor }) => left - amount_minor, sale.amount_minor)
  if (sales.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {texts.empty}
      </Text>
    )
  return (
    <>
      <Paper withBorder style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={480}>
          <Table aria-label={areaTexts.detail.sales}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.sale}</Table.Th>
                <Table.Th ta="right">{fields.amount}</Table.Th>
                <Table.Th>{fields.date}</Table.Th>
                {mayRefund && <Table.Th>{areaTexts.actions}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sales.flatMap(sale => [
                <Table.Tr key={sale.id}>
                  <Table.Td>
                    <Copy value={sale.external_id} label={texts.copySale}>
                      {sale.external_id}
                    </Copy>
                    {sale.awaits_rate && (
                      <Text size="xs" c="dimmed">
                        <Badge size="xs" color="yellow" variant="light" tt="none" autoContrast mr={6}>
                          {texts.awaitsRate}
                        </Badge>
                        {!sale.unearned_reason && texts.awaitsRateNote}
                      </Text>
                    )}
                    {sale.unearned_reason && (
                      <Text size="xs" c="dimmed">
                        {texts.unearned[sale.unearned_reason]}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Money minor={sale.amount_minor} currency={sale.currency} />
                  </Table.Td>
                  <Table.Td>
                    <When time={sale.occurred_at} />
                  </Table.Td>
                  {mayRefund && (
                    <Table.Td>
                      {leftOf(sale) > 0 && (
                        <Button
                          size="compact-sm"
                          variant="subtle"
                          color="red"
                          aria-label={areaTexts.recordRefund.one(sale.external_id)}
                          onClick={() => setToRefund(sale)}
                        >
                          {areaTexts.recordRefund.action}
                        </Button>
                      )}
                    </Table.Td>
                  )}
                </Table.Tr>,
                ...refunds
                  .filter(({ sale_id }) => sale_id === sale.id)
                  .map(refund => (
                    <Table.Tr key={`refund-${refund.id}`}>
                      <Table.Td pl="xl">
                        <Text span inherit c="dimmed">
                          {texts.refund}
                        </Text>{' '}
                        <Copy value={refund.external_id} label={texts.copyRefund}>
                          {refund.external_id}
                        </Copy>
                      </Table.Td>
                      <Table.Td ta="right">
                        <Money minor={-refund.amount_minor} currency={sale.currency} />
                      </Table.Td>
                      <Table.Td>
                        <When time={refund.occurred_at} />
                      </Table.Td>
                      {mayRefund && <Table.Td />}
                    </Table.Tr>
                  )),
              ])}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
      {toRefund && (
        <RecordRefund
          referral={referral}
          sale={toRefund}
          leftMinor={leftOf(toRefund)}
          onClose={() => setToRefund(null)}
        />
      )}
      {more_sales && (
        <Text size="sm" c="dimmed" mt="xs">
          {texts.more(sales.length)}
        </Text>
      )}
    </>
  )
}
