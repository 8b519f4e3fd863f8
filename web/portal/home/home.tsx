import { Alert, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Earnings } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { Suspense, useState } from 'react'
import { later } from '../../ui/later.ts'
import { useCall } from '../shared/api.ts'
import { useMe } from '../shared/me.tsx'
import { Card, Empty, Loaded, PageHead } from '../shared/states.tsx'
import { EarningsCard } from './earnings-card.tsx'
import { HomeChart, type Period } from './home-chart.tsx'
import { HomeLinks } from './home-links.tsx'

const texts = pages.home

/** Loaded where there is one: most companies show none. */
const Leaderboard = later(async () => (await import('./leaderboard.tsx')).Leaderboard)

/** The links, then earnings, when pending ones clear, and performance over time. */
export function Home() {
  const me = useMe()
  const [days, setDays] = useState<Period>(30)
  const home = useCall('getHome', { query: { days } })
  return (
    <>
      <PageHead title={me.name ? texts.hello(me.name) : texts.title} />
      <Stack>
        <HomeLinks />
        <Loaded query={home}>
          {data => (
            <Stack>
              {data.awaiting_rate > 0 && (
                <Alert color="yellow">{texts.awaitingRate(data.awaiting_rate)}</Alert>
              )}
              <EarningsOf earnings={data.earnings} />
              <Card>
                <HomeChart home={data} days={days} onDays={setDays} />
              </Card>
            </Stack>
          )}
        </Loaded>
        <LeaderboardIfShown />
      </Stack>
    </>
  )
}

function LeaderboardIfShown() {
  const board = useCall('getLeaderboard').data?.leaderboard
  if (!board) return null
  return (
    <Suspense fallback={null}>
      <Leaderboard board={board} />
    </Suspense>
  )
}

const hasEarnings = ({ earned_minor, paid_minor, credit_minor, holds }: Earnings) =>
  earned_minor !== 0 || paid_minor !== 0 || credit_minor !== 0 || holds.length > 0

/** A card for each campaign with earnings; the others are only named, to avoid cards full of zeros. */
function EarningsOf({ earnings }: { earnings: Earnings[] }) {
  const shown = earnings.filter(hasEarnings)
  const others = earnings.filter(each => !hasEarnings(each))
  if (shown.length === 0) return <Empty title={texts.emptyTitle} text={texts.empty} />
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: shown.length > 1 ? 2 : 1 }}>
        {shown.map(each => (
          <EarningsCard key={each.campaign_id} earnings={each} isOnlyOne={earnings.length === 1} />
        ))}
      </SimpleGrid>
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {texts.nothingFrom(others.map(({ campaign_name }) => campaign_name))}
        </Text>
      )}
    </>
  )
}
