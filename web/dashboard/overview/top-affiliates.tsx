import { Anchor, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { TopAffiliate } from '@tributary/contract/dashboard'
import { money } from '../../ui/format.ts'
import { usePath } from '../shared/account.tsx'
import { ConvertedAmount } from '../shared/converted-amount.tsx'
import type { CountedIn } from '../shared/counted-link.tsx'
import { texts } from './en.ts'

/** The top earners of the period, in the reporting currency or the one with the most commissions. */
export function TopAffiliates({
  affiliates,
  currency,
  rows,
}: {
  affiliates: TopAffiliate[]
  currency: string | undefined
  /** The period and campaign, as filters of the lists of what counts. */
  rows: CountedIn | undefined
}) {
  const path = usePath()
  const most = affiliates[0]?.commissions_minor ?? 0
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="top-affiliates">
      <Title order={2} size="h5" mb="xs" id="top-affiliates">
        {texts.topAffiliates.title}
      </Title>
      {!currency || affiliates.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.topAffiliates.empty}
        </Text>
      ) : (
        <Stack gap="xs" component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {affiliates.map(({ id, name, email, sales, commissions_minor, original }) => (
            <li key={id}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Anchor component={Link} to={path(`affiliates/${id}`)} size="sm" truncate>
                  {name ?? email}
                </Anchor>
                <Text component="div" size="sm" fw={600}>
                  <ConvertedAmount
                    currency={currency}
                    of="commissions"
                    original={original}
                    withoutRate={[]}
                    rows={rows && { list: 'commissions', search: { ...rows, affiliate_id: id } }}
                  >
                    {money(commissions_minor, currency)}
                  </ConvertedAmount>
                </Text>
              </Group>
              <Group wrap="nowrap" gap="xs">
                <Progress value={(100 * commissions_minor) / most} size={4} flex={1} aria-hidden="true" />
                <Text size="xs" c="dimmed" miw={56} ta="right">
                  {texts.topAffiliates.sales(sales)}
                </Text>
              </Group>
            </li>
          ))}
        </Stack>
      )}
    </Paper>
  )
}
