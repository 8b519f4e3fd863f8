import { Badge, Group, Stack, Text } from '@mantine/core'
import { Money } from '../../ui/values.tsx'
import { useCall } from '../shared/account.tsx'
import { When } from '../shared/facts.tsx'
import { TextLink } from '../shared/links.tsx'
import { Section } from '../shared/section.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.tests

/** The newest test payouts, of one campaign if the list shows only its payouts. Nothing without any. */
export function RecentTestPayouts({ campaignId }: { campaignId: number | undefined }) {
  const recent = useCall('listRecentTestPayouts', { query: { campaign_id: campaignId } })
  const data = recent.data?.data ?? []
  if (data.length === 0) return null
  return (
    <Stack mt="md">
      <Section title={texts.title}>
        <Text size="sm" c="dimmed" mb="sm">
          {texts.recent}
        </Text>
        <Stack gap="xs" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {data.map(payout => (
            <Group key={payout.id} component="li" justify="space-between" gap="xs">
              <Group gap="xs">
                <TextLink to="/$account/payouts/new" search={{ campaign_id: payout.campaign_id }}>
                  {texts.name(payout.id)}
                </TextLink>
                <Badge color="gray" variant="light" autoContrast>
                  {texts.badge}
                </Badge>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {payout.campaign_name}
                </Text>
              </Group>
              <Text size="sm">
                {areaTexts.payments(payout.payment_count)} ·{' '}
                <Money minor={payout.total_minor} currency={payout.currency} /> ·{' '}
                <When time={payout.created_at} />
              </Text>
            </Group>
          ))}
        </Stack>
      </Section>
    </Stack>
  )
}
