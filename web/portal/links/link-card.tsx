import { Alert, Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import type { LinkOf } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { addressOf } from '../shared/api.ts'
import { QrIcon } from '../shared/icons.tsx'
import { rewardText } from '../shared/reward-text.ts'
import { Card } from '../shared/states.tsx'
import { CopyField } from './copy-field.tsx'
import { LinkCounts } from './link-counts.tsx'
import { pageOn } from './page-on.ts'
import { ShareButton } from './share-button.tsx'

const texts = pages.links

/** One campaign's link, with its QR code and deep links. */
export function LinkCard({ link, days }: { link: LinkOf; days: number }) {
  const [isDrawn, setIsDrawn] = useState(false)
  const [isDeep, setIsDeep] = useState(false)
  const [wanted, setWanted] = useState('')
  const { destination_url: destination } = link
  const site = destination ? new URL(destination).host : ''
  const page = destination && wanted.trim() ? pageOn(destination, wanted.trim()) : undefined
  const address = page === undefined ? link.link : `${link.link}?to=${encodeURIComponent(page)}`
  const picture = addressOf('drawLink', { id: link.campaign_id, query: page ? { to: page } : {} })
  return (
    <Card>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {link.campaign_name}
          </Title>
          <Text size="sm" c="dimmed">
            {rewardText(link.rewards)}. {pages.terms.window(link.attribution_window_days)}
            {link.forbids_paid_search && ` ${pages.terms.noPaidSearch}`}
          </Text>
        </div>
        {link.is_paused && <Alert color="yellow">{texts.paused}</Alert>}
        {destination === null ? (
          <Alert color="yellow">{texts.noDestination}</Alert>
        ) : (
          <>
            <CopyField value={address} label={link.campaign_name} copyLabel={texts.copy}>
              <ShareButton url={address} label={texts.shareOf(link.campaign_name)} />
            </CopyField>
            <LinkCounts link={link} days={days} />
            <Group gap="xs">
              <Button
                variant="default"
                leftSection={<QrIcon />}
                aria-expanded={isDrawn}
                onClick={() => setIsDrawn(!isDrawn)}
              >
                {texts.qr}
              </Button>
              <Button variant="default" aria-expanded={isDeep} onClick={() => setIsDeep(!isDeep)}>
                {texts.deep}
              </Button>
              {isDrawn && (
                <Anchor href={picture} download={`${link.campaign_name}.svg`} size="sm">
                  {texts.saveQr}
                </Anchor>
              )}
            </Group>
            {isDeep && (
              <TextInput
                label={texts.deepLabel}
                description={texts.deepText(site)}
                placeholder={`${site}/…`}
                value={wanted}
                onChange={event => setWanted(event.currentTarget.value)}
                error={wanted.trim() && page === undefined ? texts.notOnSite(site) : undefined}
              />
            )}
            {isDrawn && (
              // White in every theme: scanners need dark on light.
              <img
                src={picture}
                alt={texts.qrOf(link.campaign_name)}
                width={220}
                height={220}
                style={{ background: '#fff', borderRadius: 8, display: 'block' }}
              />
            )}
          </>
        )}
      </Stack>
    </Card>
  )
}
