import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Waiting } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { TextLink } from '../shared/links.tsx'
import type { SearchOf } from '../shared/use-filters.ts'

type ListPage = `/$account/${'affiliates' | 'commissions' | 'payouts' | 'referrals' | 'webhooks'}`
type ListLink = { [Page in ListPage]: { to: Page; search?: SearchOf<Page> } }[ListPage]

interface Task {
  is: keyof Waiting
  subject: string
  /** What follows the number, as the link to the list behind it. */
  state: string
  link: ListLink
  colour: string
  /** Whether only the last 30 days count. */
  isRecent?: boolean
}

/** What needs somebody, the most pressing first: money that did not arrive, then people who wait, then the rest. */
const tasks: Task[] = [
  {
    is: 'payouts_failed',
    subject: 'Payouts',
    state: 'failed',
    isRecent: true,
    link: { to: '/$account/payouts', search: { status: 'failed' } },
    colour: 'red',
  },
  {
    is: 'payouts_partially_paid',
    subject: 'Payouts',
    state: 'with failed items',
    isRecent: true,
    link: { to: '/$account/payouts', search: { status: 'partially_paid' } },
    colour: 'red',
  },
  {
    is: 'failing_endpoints',
    subject: 'Webhook endpoints',
    state: 'failing',
    link: { to: '/$account/webhooks' },
    colour: 'red',
  },
  {
    is: 'affiliates_to_approve',
    subject: 'Affiliates',
    state: 'to approve',
    link: { to: '/$account/affiliates', search: { status: 'pending' } },
    colour: 'yellow',
  },
  {
    is: 'referrals_to_review',
    subject: 'Referrals',
    state: 'to review',
    link: { to: '/$account/referrals', search: { status: 'pending_review' } },
    colour: 'yellow',
  },
  {
    is: 'unattributed_conversions',
    subject: 'Conversions',
    state: 'without credit',
    isRecent: true,
    link: { to: '/$account/referrals', search: { view: 'unattributed' } },
    colour: 'yellow',
  },
  {
    is: 'payouts_to_send',
    subject: 'Payouts',
    state: 'to send',
    link: { to: '/$account/payouts', search: { status: 'pending' } },
    colour: 'blue',
  },
  {
    is: 'payouts_in_progress',
    subject: 'Payouts',
    state: 'in progress',
    link: { to: '/$account/payouts', search: { status: 'processing' } },
    colour: 'blue',
  },
  {
    is: 'holds_ending',
    subject: 'Commissions',
    state: 'free in 7 days',
    link: { to: '/$account/commissions', search: { status: 'pending' } },
    colour: 'gray.5',
  },
]

export function WaitingCard({ waiting }: { waiting: Waiting }) {
  const open = tasks.filter(({ is }) => waiting[is] > 0)
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="waiting">
      <Title order={2} size="h5" mb="sm" id="waiting">
        What waits for me
      </Title>
      {open.length === 0 ? (
        <Group gap="xs" c="dimmed">
          <CheckIcon size={16} />
          <Text size="sm">Nothing waits for you.</Text>
        </Group>
      ) : (
        <Stack gap="sm" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {open.map(({ is, subject, state, link, colour }) => (
            <Group key={is} component="li" justify="space-between" wrap="nowrap" gap="xs">
              <Group gap="xs" wrap="nowrap">
                <Box w={8} h={8} bg={colour} flex="none" style={{ borderRadius: '50%' }} />
                <Text size="sm">{subject}</Text>
              </Group>
              <TextLink {...link} size="sm" fw={600} ta="right">
                {count(waiting[is])} {state}
              </TextLink>
            </Group>
          ))}
        </Stack>
      )}
      {open.some(({ isRecent }) => isRecent) && (
        <Text size="xs" c="dimmed" mt="sm">
          Conversions and failed payouts are those of the last 30 days.
        </Text>
      )}
    </Paper>
  )
}
