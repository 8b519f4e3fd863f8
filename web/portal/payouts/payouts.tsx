import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'

import { DownloadIcon } from '../../ui/icons.tsx'
import { Money } from '../../ui/values.tsx'
import { addressOf } from '../shared/api.ts'
import { Day } from '../shared/day.tsx'
import { useMe } from '../shared/me.tsx'
import { PagesOf } from '../shared/pages-of.tsx'
import { Row } from '../shared/row.tsx'
import { Card, Empty, PageHead } from '../shared/states.tsx'
import { StatusBadge } from '../shared/status.tsx'

const texts = pages.payouts

export function Payouts() {
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <Stack>
        <PagesOf route="listPayouts" empty={<Empty title={texts.none} text={texts.noneText} />}>
          {payout => (
            <Row
              title={<Day time={payout.settled_at ?? payout.created_at} />}
              amount={<Money minor={payout.amount_minor} currency={payout.currency} />}
              about={[payout.campaign_name]}
              status={
                payout.is_returned ? (
                  <StatusBadge value="failed" label={texts.returned} />
                ) : (
                  <StatusBadge value={payout.status} />
                )
              }
            >
              {payout.address && (
                <Text size="sm" c="dimmed">
                  {texts.to(payout.address)}
                </Text>
              )}
              {(payout.status === 'failed' || payout.is_returned) && (
                <Text size="sm">{[payout.reason, texts.failed].filter(Boolean).join(' ')}</Text>
              )}
            </Row>
          )}
        </PagesOf>
        <Statement />
      </Stack>
    </>
  )
}

function Statement() {
  const [day, setDay] = useState('')
  const { time_zone: zone } = useMe()
  // The server takes the end of that day in the company's time zone.
  const query = day ? { as_of: day } : {}
  return (
    <Card>
      <Title order={2} size="h4">
        {texts.statement}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {texts.statementText(zone)}
      </Text>
      <Group align="flex-end">
        <TextInput
          type="date"
          label={texts.asOf}
          value={day}
          onChange={event => setDay(event.currentTarget.value)}
        />
        <Group>
          <Button
            component="a"
            href={addressOf('printStatement', { query })}
            target="_blank"
            variant="light"
            leftSection={<DownloadIcon />}
          >
            {texts.pdf}
          </Button>
          <Button
            component="a"
            href={addressOf('downloadStatement', { query })}
            download
            variant="light"
            leftSection={<DownloadIcon />}
          >
            {texts.csv}
          </Button>
        </Group>
      </Group>
    </Card>
  )
}
