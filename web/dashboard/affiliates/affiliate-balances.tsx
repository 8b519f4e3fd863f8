import { Group, Paper, SimpleGrid, Text } from '@mantine/core'
import type { AffiliateBalance } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { texts } from './en.ts'

const { balances: labels } = texts

/** An affiliate's balance in each currency. */
export function AffiliateBalances({ balances }: { balances: AffiliateBalance[] }) {
  if (balances.length === 0)
    return (
      <Paper withBorder p="md">
        <Text c="dimmed" size="sm">
          {labels.none}
        </Text>
      </Paper>
    )
  return (
    <SimpleGrid cols={{ base: 1, sm: balances.length > 1 ? 2 : 1 }}>
      {balances.map(balance => (
        <Paper key={balance.currency} withBorder p="md">
          <Text size="sm" c="dimmed">
            {labels.title(balance.currency)}
          </Text>
          <Text fz={28} fw={650} lh={1.3}>
            <Money minor={balance.balance_minor} currency={balance.currency} />
          </Text>
          {balance.balance_minor < 0 && (
            <Text size="xs" c="dimmed">
              {labels.negative}
            </Text>
          )}
          <Group mt="xs" gap="lg">
            <Part title={labels.pending} minor={balance.pending_minor} currency={balance.currency} />
            <Part title={labels.approved} minor={balance.approved_minor} currency={balance.currency} />
            <Part title={labels.paidOut} minor={balance.paid_out_minor} currency={balance.currency} />
            {balance.credit_minor !== 0 && (
              <Part title={labels.credit} minor={balance.credit_minor} currency={balance.currency} />
            )}
          </Group>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

function Part({ title, minor, currency }: { title: string; minor: number; currency: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Text size="sm">
        <Money minor={minor} currency={currency} />
      </Text>
    </div>
  )
}
