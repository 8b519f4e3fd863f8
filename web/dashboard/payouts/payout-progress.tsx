import { ColorSwatch, Group, Loader, Progress, Stack, Text } from '@mantine/core'
import type { PayoutCount, PayoutDetail } from '@tributary/contract/dashboard'
import { words } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { texts } from './en.ts'

const order = ['paid', 'processing', 'pending', 'failed', 'canceled'] as const
const colours: Record<PayoutCount['status'], string> = {
  paid: 'teal.7',
  processing: 'blue.6',
  pending: 'gray.5',
  failed: 'red.7',
  canceled: 'gray.7',
}

/** The progress of a payout's payments, as a bar and as numbers. */
export function PayoutProgress({ payout }: { payout: PayoutDetail }) {
  const counts = order.flatMap(status => payout.counts.filter(each => each.status === status))
  const ended = counts
    .filter(({ status }) => status !== 'pending' && status !== 'processing')
    .reduce((sum, { items }) => sum + items, 0)
  return (
    <Stack gap="sm">
      <Progress.Root size="xl" aria-hidden="true">
        {counts.map(({ status, items }) => (
          <Progress.Section
            key={status}
            value={(items / payout.item_count) * 100}
            color={colours[status]}
            withAria={false}
          />
        ))}
      </Progress.Root>
      <Group gap="xs" role="status">
        <Text size="sm">{texts.progress.completed(ended, payout.item_count)}</Text>
        {payout.unbooked > 0 && (
          <Group gap={6}>
            <Loader size={12} />
            <Text size="sm" c="dimmed">
              {texts.progress.recording(payout.unbooked)}
            </Text>
          </Group>
        )}
      </Group>
      <Stack gap={6} component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {counts.map(({ status, items, amount_minor }) => (
          <Group key={status} component="li" gap="xs" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <ColorSwatch size={12} color={swatch(colours[status])} withShadow={false} />
              <Text size="sm">{texts.progress.count(words(status), items)}</Text>
            </Group>
            <Text size="sm">
              <Money minor={amount_minor} currency={payout.currency} />
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}

const swatch = (colour: string) => `var(--mantine-color-${colour.replace('.', '-')})`
