import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { TestPayout, TestPayouts } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { useChange, useMay } from '../shared/account.tsx'
import { When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.tests

/** Plays test commissions through to a payout that is never sent. Hidden in a campaign without any. */
export function TestPayoutSection({ campaignId, tests }: { campaignId: number; tests: TestPayouts }) {
  const mayPay = useMay('money')
  const create = useChange('createTestPayout', { done: ({ id }) => texts.created(id) })
  const { open, data, currency, hold_days, minimum_payout_minor } = tests
  if (open.payment_count === 0 && data.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="test-payouts">
      <Stack gap="sm">
        <Title order={2} size="h4" id="test-payouts">
          {texts.title}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.note(hold_days, money(minimum_payout_minor, currency))}
        </Text>
        {open.payment_count > 0 && (
          <Group gap="sm">
            <Button
              variant="light"
              disabled={!mayPay}
              loading={create.isPending}
              onClick={() => create.mutate({ body: { campaign_id: campaignId } })}
            >
              {texts.create(money(open.total_minor, currency))}
            </Button>
            <Text size="sm">{areaTexts.payments(open.payment_count)}</Text>
          </Group>
        )}
        {data.map(payout => (
          <Made key={payout.id} payout={payout} />
        ))}
      </Stack>
    </Paper>
  )
}

function Made({ payout }: { payout: TestPayout }) {
  const more = payout.payment_count - payout.payments.length
  return (
    <Paper withBorder p="sm" component="article" aria-label={texts.name(payout.id)}>
      <Group justify="space-between" mb={4}>
        <Group gap="xs">
          <Text fw={600}>{texts.name(payout.id)}</Text>
          <Badge color="gray" variant="light" autoContrast>
            {texts.badge}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          <When time={payout.created_at} />
        </Text>
      </Group>
      {payout.payments.map(payment => (
        <Group key={payment.affiliate_id} justify="space-between" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <PageLink to={`affiliates/${payment.affiliate_id}`}>{payment.name ?? payment.email}</PageLink>
          </Text>
          <Text size="sm">
            <Money minor={payment.amount_minor} currency={payout.currency} />
          </Text>
        </Group>
      ))}
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {texts.more(more)}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={4}>
        {texts.notSent}
      </Text>
    </Paper>
  )
}
