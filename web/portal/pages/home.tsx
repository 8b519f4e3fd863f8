import { Alert, SimpleGrid, Stack, Text } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { useCall } from '../api.ts'
import { useMe } from '../me.tsx'
import { EarningsCard } from '../parts/earnings-card.tsx'
import { HomeChart, type Period } from '../parts/home-chart.tsx'
import { Card, Empty, GoButton, Loaded, PageHead } from '../parts/states.tsx'

const texts = pages.home

/** What was earned, what is still to come and when, and what the links have brought over time. */
export function Home() {
  const me = useMe()
  const [days, setDays] = useState<Period>(30)
  const home = useCall('getHome', { query: { days } })
  return (
    <>
      <PageHead title={me.name ? texts.hello(me.name) : texts.title} />
      <Loaded query={home}>
        {data => (
          <Stack>
            {data.awaiting_rate > 0 && <Alert color="yellow">{texts.awaitingRate(data.awaiting_rate)}</Alert>}
            {data.earnings.length === 0 && (
              <Empty title={texts.empty} action={<GoButton to="/links">{texts.toLinks}</GoButton>} />
            )}
            <SimpleGrid cols={{ base: 1, md: data.earnings.length > 1 ? 2 : 1 }}>
              {data.earnings.map(earnings => (
                <EarningsCard
                  key={earnings.campaign_id}
                  earnings={earnings}
                  isOnlyOne={data.earnings.length === 1}
                />
              ))}
            </SimpleGrid>
            <Card>
              <HomeChart home={data} days={days} onDays={setDays} />
              {data.clicks === 0 && data.conversions === 0 && (
                <Text size="sm" c="dimmed" mt="sm">
                  {texts.empty}
                </Text>
              )}
            </Card>
          </Stack>
        )}
      </Loaded>
    </>
  )
}
