import { Badge, Button, Group, Text, ThemeIcon, Timeline } from '@mantine/core'
import type { AffiliateEvent } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { words } from '../../ui/format.ts'
import { CommissionsIcon, PayoutsIcon, ReferralsIcon } from '../../ui/icons.tsx'
import { Money, Status } from '../../ui/values.tsx'
import { texts as shared } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { AffiliatesIcon, CampaignsIcon } from '../shared/icons.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { aboutOf } from './affiliate-text.ts'
import { texts } from './en.ts'

const { activity } = texts

/** Most visits are about the newest events; a short list keeps the page short on a phone. */
const SHOWN_AT_FIRST = 10

const icons = {
  joined: AffiliatesIcon,
  enrolled: CampaignsIcon,
  referral: ReferralsIcon,
  commission: CommissionsIcon,
  payout: PayoutsIcon,
}

const amountOf = ({ amount_minor, currency }: AffiliateEvent) =>
  amount_minor !== null && currency !== null && <Money minor={amount_minor} currency={currency} />

const entryName = (type: string | null) =>
  Object.entries(activity.entries).find(([name]) => name === type)?.[1] ?? words(type ?? 'commission')

/** What happened, linked to its page. */
function titleOf(event: AffiliateEvent): ReactNode {
  switch (event.kind) {
    case 'joined':
      return activity.joined
    case 'enrolled':
      return activity.enrolled(event.campaign_name)
    case 'referral':
      return (
        <>
          {activity.referred}{' '}
          <PageLink to={`referrals/${event.id}`} inText>
            {event.customer_ref}
          </PageLink>
        </>
      )
    case 'commission':
      return (
        <>
          <PageLink to={`commissions/${event.id}`} inText>
            {entryName(event.type)}
          </PageLink>{' '}
          {amountOf(event)}
        </>
      )
    case 'payout':
      return (
        <>
          <PageLink to={`payouts/${event.id}`} inText>
            {activity.payout}
          </PageLink>{' '}
          {amountOf(event)}
        </>
      )
  }
}

/** The latest events of an affiliate. */
export function AffiliateTimeline({ events }: { events: AffiliateEvent[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const more = events.length - SHOWN_AT_FIRST
  return (
    <>
      <EventList events={showsAll ? events : events.slice(0, SHOWN_AT_FIRST)} />
      {more > 0 && !showsAll && (
        <Button variant="subtle" size="xs" mt="sm" onClick={() => setShowsAll(true)}>
          {activity.showMore(more)}
        </Button>
      )}
    </>
  )
}

function EventList({ events }: { events: AffiliateEvent[] }) {
  return (
    <Timeline bulletSize={26} lineWidth={1}>
      {events.map(event => {
        const Icon = icons[event.kind]
        return (
          <Timeline.Item
            key={`${event.kind}${event.id}`}
            mt="sm"
            bullet={
              <ThemeIcon size={26} radius="xl" variant="light" color="gray">
                <Icon size={14} />
              </ThemeIcon>
            }
          >
            <Group gap="xs">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {titleOf(event)}
              </Text>
              {event.status && <Status value={event.status} />}
              {event.is_test && (
                <Badge size="xs" variant="outline" color="gray" tt="none">
                  {shared.states.test}
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <When time={event.at} withTime />
              {aboutOf(event) && ` · ${aboutOf(event)}`}
            </Text>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}
