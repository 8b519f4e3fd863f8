import { Anchor, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { TopAffiliate } from '@tributary/contract/dashboard'
import { Money } from '../../ui/values.tsx'
import { usePath } from '../shared/account.tsx'
import { texts } from './en.ts'

/** The top earners of the period, in the reporting currency or the one with the most commissions. */
export function TopAffiliates({
  affiliates,
  currency,
}: {
  affiliates: TopAffiliate[]
  currency: string | undefined
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
          {affiliates.map(({ id, name, email, sales, commissions_minor }) => (
            <li key={id}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Anchor component={Link} to={path(`affiliates/${id}`)} size="sm" truncate>
                  {name ?? email}
                </Anchor>
                <Text size="sm" fw={600}>
                  <Money minor={commissions_minor} currency={currency} />
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
