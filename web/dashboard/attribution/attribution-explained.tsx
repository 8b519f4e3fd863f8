import { Anchor, Badge, Box, Button, Group, List, Stack, Text } from '@mantine/core'
import type { ClickDetail, Explanation } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { dateAndTime } from '../../ui/format.ts'
import { When } from '../shared/facts.tsx'
import { AffiliateLink } from '../shared/named-links.tsx'
import { decisionText, evidenceText, reasonText } from './attribution-text.ts'
import { texts } from './en.ts'

type Candidate = Explanation['attribution']['candidates'][number]

const DAY_MS = 86_400_000
const SHOWN = 10

const colours = { won: 'teal', lost: 'gray', dropped: 'orange' } as const
const rank = { won: 0, lost: 1, dropped: 2 }

const models: Record<string, string> = texts.models

/** How the conversion was attributed: the rules, the window with its dates, and why each candidate won or lost. */
export function AttributionExplained({
  explanation,
  clicks = [],
  occurredAt,
}: {
  explanation: Explanation
  clicks?: ClickDetail[]
  occurredAt: string
}) {
  const { attribution, affiliates } = explanation
  const [showsAll, setShowsAll] = useState(false)
  const candidates = [...attribution.candidates].sort((a, b) => rank[a.outcome] - rank[b.outcome])
  const windowBegins = new Date(Date.parse(occurredAt) - attribution.window_days * DAY_MS).toISOString()
  return (
    <Stack gap="md">
      <Text fw={600}>{decisionText(attribution)}</Text>
      <List size="sm" spacing={4} c="dimmed">
        <List.Item>{models[attribution.model] ?? attribution.model}</List.Item>
        <List.Item>{texts.precedence}</List.Item>
        <List.Item>
          {texts.window(attribution.window_days, dateAndTime(windowBegins), dateAndTime(occurredAt))}
        </List.Item>
        <List.Item>{texts.eligible}</List.Item>
      </List>
      {candidates.length === 0 ? (
        <Text size="sm">{texts.noCandidates}</Text>
      ) : (
        <ol style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label={texts.candidates}>
          {candidates.slice(0, showsAll ? undefined : SHOWN).map((candidate, index) => (
            <CandidateItem
              // biome-ignore lint/suspicious/noArrayIndexKey: a recorded decision never changes.
              key={index}
              candidate={candidate}
              affiliate={affiliates.find(({ id }) => id === candidate.affiliate_id)}
              click={clicks.find(({ id }) => id === candidate.click_id)}
            />
          ))}
        </ol>
      )}
      {candidates.length > SHOWN && !showsAll && (
        <Group>
          <Button variant="default" size="xs" onClick={() => setShowsAll(true)}>
            {texts.showAll(candidates.length)}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function CandidateItem({
  candidate,
  affiliate,
  click,
}: {
  candidate: Candidate
  affiliate: Explanation['affiliates'][number] | undefined
  click: ClickDetail | undefined
}) {
  return (
    <Group
      component="li"
      align="flex-start"
      wrap="nowrap"
      py="sm"
      style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
    >
      <Box w={84} style={{ flexShrink: 0 }}>
        <Badge variant="light" color={colours[candidate.outcome]} tt="none" autoContrast miw="max-content">
          {texts.outcomes[candidate.outcome]}
        </Badge>
      </Box>
      <Box style={{ minWidth: 0 }}>
        <Text size="sm" fw={600} component="div">
          {evidenceText(candidate)}
          {affiliate && (
            <>
              {' · '}
              <AffiliateLink {...affiliate} inline />
            </>
          )}
        </Text>
        <Text size="sm">{reasonText(candidate)}</Text>
        <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {candidate.clicked_at && (
            <div>
              {texts.click.at} <When time={candidate.clicked_at} withTime />
            </div>
          )}
          {click && <ClickFacts click={click} />}
        </Text>
      </Box>
    </Group>
  )
}

function ClickFacts({ click }: { click: ClickDetail }) {
  return (
    <>
      {click.landing_url && (
        <div>
          {texts.click.landingPage} <WebAddress url={click.landing_url} />
        </div>
      )}
      {click.referrer && (
        <div>
          {texts.click.referrer} <WebAddress url={click.referrer} />
        </div>
      )}
      {click.is_bot && <div>{texts.click.bot}</div>}
    </>
  )
}

/** A URL from a visitor's browser: a link only if its scheme is http(s). */
function WebAddress({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener nofollow" inherit underline="always">
      {url.replace(/^https?:\/\//i, '')}
    </Anchor>
  )
}
