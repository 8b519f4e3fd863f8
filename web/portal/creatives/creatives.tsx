import { Alert, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import type { LinkOf, PortalResult } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { useCall } from '../shared/api.ts'
import { CopyButton } from '../shared/copy-button.tsx'
import { look } from '../shared/look.ts'
import { PageLink } from '../shared/router.tsx'
import { Card, Empty, Loaded, PageHead } from '../shared/states.tsx'
import { DownloadLink } from './download-link.tsx'
import { embedCode, fillLink } from './fill-link.ts'

const texts = pages.creatives
type Listed = PortalResult<'listCreatives'>
type Creative = Listed['data'][number]

/** What the company gives affiliates to promote with, filled in with a link of theirs. */
export function Creatives() {
  const creatives = useCall('listCreatives')
  const links = useCall('listLinks')
  return (
    <>
      <PageLink to="/links" size="sm">
        {texts.back}
      </PageLink>
      <PageHead title={texts.title} text={texts.text} />
      <Loaded query={creatives}>
        {listed => <Loaded query={links}>{({ data }) => <Filled listed={listed} links={data} />}</Loaded>}
      </Loaded>
    </>
  )
}

function Filled({ listed: { base, data }, links: all }: { listed: Listed; links: LinkOf[] }) {
  // A link that leads nowhere is not handed out.
  const links = all.filter(({ destination_url }) => destination_url !== null)
  const [chosen, setChosen] = useState<string>()
  if (data.length === 0) return <Empty title={texts.none} text={texts.noneText} />
  // One for a single campaign always has that campaign's link.
  const linkFor = ({ campaign_id: id }: Creative) =>
    links.find(link => (id === null ? String(link.campaign_id) === chosen : link.campaign_id === id)) ??
    links[0]
  return (
    <Stack>
      {links.length === 0 && all.length > 0 && <Alert color="yellow">{pages.links.noDestination}</Alert>}
      {links.length > 1 && (
        <NativeSelect
          label={texts.link}
          value={chosen ?? String(links[0]?.campaign_id)}
          onChange={event => setChosen(event.currentTarget.value)}
          data={links.map(link => ({ value: String(link.campaign_id), label: link.campaign_name }))}
        />
      )}
      {data.map(creative => (
        <CreativeCard key={creative.id} creative={creative} base={base} link={linkFor(creative)?.link} />
      ))}
    </Stack>
  )
}

function CreativeCard({
  creative,
  base,
  link,
}: {
  creative: Creative
  base: string
  link: string | undefined
}) {
  const { id, kind, name, text, file, campaign_name: campaign } = creative
  const filled = text === null || link === undefined ? text : fillLink(text, link)
  const size = file?.width && file.height ? texts.size(file.width, file.height) : undefined
  return (
    <Card>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {name}
          </Title>
          <Text size="sm" c="dimmed">
            {[campaign, size, file && texts.bytes(file.bytes)].filter(Boolean).join(' · ')}
          </Text>
        </div>
        {kind === 'banner' && file && (
          <img
            // Relative, as the page may load pictures from the same origin only.
            src={`${look.base}/creative/${id}/${file.version}`}
            alt={name}
            loading="lazy"
            width={file.width ?? undefined}
            height={file.height ?? undefined}
            style={{
              maxWidth: '100%',
              height: 'auto',
              maxHeight: 280,
              objectFit: 'contain',
              objectPosition: 'left',
            }}
          />
        )}
        {filled !== null && (
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {filled}
          </Text>
        )}
        <Group gap="xs">
          {filled !== null && link && (
            <CopyButton value={filled} label={texts.copyTextOf(name)} text={texts.copyText} />
          )}
          {kind === 'banner' && file && link && (
            <CopyButton
              value={embedCode({ id, name, file }, base, link)}
              label={texts.copyEmbedOf(name)}
              text={texts.copyEmbed}
            />
          )}
          {file && <DownloadLink id={id} name={name} />}
        </Group>
      </Stack>
    </Card>
  )
}
