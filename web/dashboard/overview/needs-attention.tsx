import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Waiting } from '@tributary/contract/dashboard'
import { attentionLists as lists } from '@tributary/contract/dashboard/attention'
import { count } from '../../ui/format.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { TextLink } from '../shared/links.tsx'
import type { SearchOf } from '../shared/use-filters.ts'
import { texts } from './en.ts'

type ListPage = `/$account/${'affiliates' | 'commissions' | 'payouts' | 'referrals' | 'signals' | 'webhooks'}`
type ListLink = { [Page in ListPage]: { to: Page; search?: SearchOf<Page> } }[ListPage]

interface Task {
  is: keyof Waiting
  subject: string
  /** Follows the number, as the link to the list behind it. */
  state: string
  link: ListLink
  colour: string
  /** Whether only the last 30 days count. */
  isRecent?: boolean
}

const { subjects, states } = texts.attention

/** `holds_ending` counts the holds that end within this time. */
const CLEARING_MS = 7 * 86_400_000

/** The most pressing first: money that didn't arrive, then people waiting for a decision, then the rest. */
const tasksAt = (now: number): Task[] => [
  {
    is: 'payouts_failed',
    subject: subjects.payouts,
    state: states.payouts_failed,
    isRecent: true,
    link: { to: '/$account/payouts', search: lists.payouts_failed[1] },
    colour: 'red',
  },
  {
    is: 'payouts_partially_paid',
    subject: subjects.payouts,
    state: states.payouts_partially_paid,
    isRecent: true,
    link: { to: '/$account/payouts', search: lists.payouts_partially_paid[1] },
    colour: 'red',
  },
  {
    is: 'failing_endpoints',
    subject: subjects.endpoints,
    state: states.failing_endpoints,
    link: { to: '/$account/webhooks', search: lists.failing_endpoints[1] },
    colour: 'red',
  },
  {
    is: 'affiliates_to_approve',
    subject: subjects.affiliates,
    state: states.affiliates_to_approve,
    link: { to: '/$account/affiliates', search: lists.affiliates_to_approve[1] },
    colour: 'yellow',
  },
  {
    is: 'signals_to_review',
    subject: subjects.signals,
    state: states.signals_to_review,
    link: { to: '/$account/signals', search: lists.signals_to_review[1] },
    colour: 'yellow',
  },
  {
    is: 'referrals_to_review',
    subject: subjects.referrals,
    state: states.referrals_to_review,
    link: { to: '/$account/referrals', search: lists.referrals_to_review[1] },
    colour: 'yellow',
  },
  {
    is: 'unattributed_conversions',
    subject: subjects.conversions,
    state: states.unattributed_conversions,
    isRecent: true,
    link: {
      to: '/$account/referrals',
      search: { view: 'unattributed', ...lists.unattributed_conversions[1] },
    },
    colour: 'yellow',
  },
  {
    is: 'payouts_to_send',
    subject: subjects.payouts,
    state: states.payouts_to_send,
    link: { to: '/$account/payouts', search: lists.payouts_to_send[1] },
    colour: 'blue',
  },
  {
    is: 'payouts_in_progress',
    subject: subjects.payouts,
    state: states.payouts_in_progress,
    link: { to: '/$account/payouts', search: lists.payouts_in_progress[1] },
    colour: 'blue',
  },
  {
    is: 'holds_ending',
    subject: subjects.commissions,
    state: texts.attention.clearing(new Date(now + CLEARING_MS)),
    link: { to: '/$account/commissions', search: lists.holds_ending[1] },
    colour: 'gray.5',
  },
]

export function NeedsAttention({ waiting }: { waiting: Waiting }) {
  const open = tasksAt(Date.now()).filter(({ is }) => waiting[is] > 0)
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="needs-attention">
      <Title order={2} size="h5" mb="sm" id="needs-attention">
        {texts.attention.title}
      </Title>
      {open.length === 0 ? (
        <Group gap="xs" c="dimmed">
          <CheckIcon size={16} />
          <Text size="sm">{texts.attention.allDone}</Text>
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
          {texts.attention.recent}
        </Text>
      )}
    </Paper>
  )
}
