import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import type { LinkOf } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { CopyField } from '../links/copy-field.tsx'
import { LinkCounts } from '../links/link-counts.tsx'
import { ShareButton } from '../links/share-button.tsx'
import { useCall } from '../shared/api.ts'
import { PageLink } from '../shared/router.tsx'
import { Card, Empty, GoButton, Loaded } from '../shared/states.tsx'

const texts = pages.home
/** More would push the earnings off the first screen; the rest are on the page of links. */
const MOST_LINKS = 3

/** The first thing on the page, whatever else there is to show: the link, ready to copy and to share. */
export function HomeLinks() {
  const links = useCall('listLinks')
  return (
    <Loaded query={links}>
      {({ data, days }) =>
        data.length === 0 ? (
          <Empty title={pages.links.none} action={<GoButton to="/campaigns">{pages.links.more}</GoButton>} />
        ) : (
          <Card>
            <Stack gap="md">
              <Title order={2} size="h4">
                {data.length === 1 ? texts.link : texts.links}
              </Title>
              {data.slice(0, MOST_LINKS).map(link => (
                <HomeLink key={link.campaign_id} link={link} days={days} isOnlyOne={data.length === 1} />
              ))}
              <Group gap="lg">
                {data.length > MOST_LINKS && (
                  <PageLink to="/links" size="sm">
                    {pages.links.all}
                  </PageLink>
                )}
                <PageLink to="/links/creatives" size="sm">
                  {pages.creatives.open}
                </PageLink>
              </Group>
            </Stack>
          </Card>
        )
      }
    </Loaded>
  )
}

function HomeLink({ link, days, isOnlyOne }: { link: LinkOf; days: number; isOnlyOne: boolean }) {
  return (
    <Stack gap={6}>
      {!isOnlyOne && (
        <Text fw={600} size="sm">
          {link.campaign_name}
        </Text>
      )}
      {link.is_paused && <Alert color="yellow">{pages.links.paused}</Alert>}
      {link.destination_url === null ? (
        <Alert color="yellow">{pages.links.noDestination}</Alert>
      ) : (
        <CopyField value={link.link} label={link.campaign_name} copyLabel={pages.links.copy}>
          <ShareButton url={link.link} label={pages.links.shareOf(link.campaign_name)} />
        </CopyField>
      )}
      <LinkCounts link={link} days={days} />
    </Stack>
  )
}
