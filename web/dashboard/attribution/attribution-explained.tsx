import { Anchor, Badge, Box, Button, Group, List, Stack, Text } from '@mantine/core'
import type { ClickDetail, Explanation } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { When } from '../shared/facts.tsx'
import { AffiliateLink } from '../shared/named-links.tsx'
import { exactTime } from '../shared/time.ts'
import { decisionWords, evidence, reasonWords } from './sentence.ts'

type Candidate = Explanation['attribution']['candidates'][number]

const DAY_MS = 86_400_000
const SHOWN = 10

const outcomes = {
  won: { word: 'Won', colour: 'teal' },
  lost: { word: 'Lost', colour: 'gray' },
  dropped: { word: 'Not valid', colour: 'orange' },
} as const
const rank = { won: 0, lost: 1, dropped: 2 }

const models: Record<string, string> = {
  last_click: 'Last click: of the valid clicks, the latest before the conversion wins.',
  first_click: 'First click: of the valid clicks, the earliest within the window wins.',
}

/** How the decision was made: the rule, the window with its dates, and every candidate with why it won or lost. */
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
      <Text fw={600}>{decisionWords(attribution)}</Text>
      <List size="sm" spacing={4} c="dimmed">
        <List.Item>{models[attribution.model] ?? attribution.model}</List.Item>
        <List.Item>
          A coupon code that belongs to an affiliate beats every click. A token named by the report counts
          only where there is neither.
        </List.Item>
        <List.Item>
          The window was {attribution.window_days} days: clicks count from {exactTime(windowBegins)} until the
          conversion, {exactTime(occurredAt)}.
        </List.Item>
        <List.Item>Only approved affiliates that are enrolled in the campaign can be credited.</List.Item>
      </List>
      {candidates.length === 0 ? (
        <Text size="sm">
          The report named no click, no coupon code and no token, so there was nobody to credit.
        </Text>
      ) : (
        <ol style={{ listStyle: 'none', margin: 0, padding: 0 }} aria-label="Candidates">
          {candidates.slice(0, showsAll ? undefined : SHOWN).map((candidate, index) => (
            <CandidateItem
              // biome-ignore lint/suspicious/noArrayIndexKey: a decision that was made never changes.
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
            Show all {candidates.length} candidates
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
  const { word, colour } = outcomes[candidate.outcome]
  return (
    <Group
      component="li"
      align="flex-start"
      wrap="nowrap"
      py="sm"
      style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
    >
      <Box w={84} style={{ flexShrink: 0 }}>
        <Badge variant="light" color={colour} tt="none" autoContrast miw="max-content">
          {word}
        </Badge>
      </Box>
      <Box style={{ minWidth: 0 }}>
        <Text size="sm" fw={600} component="div">
          {evidence(candidate)}
          {affiliate && (
            <>
              {' '}
              of <AffiliateLink {...affiliate} inline />
            </>
          )}
        </Text>
        <Text size="sm">{reasonWords(candidate)}</Text>
        <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {candidate.clicked_at && (
            <div>
              clicked <When time={candidate.clicked_at} />
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
          led to <WebAddress url={click.landing_url} />
        </div>
      )}
      {click.referrer && (
        <div>
          came from <WebAddress url={click.referrer} />
        </div>
      )}
      {click.is_bot && <div>looks like a program, not a person</div>}
    </>
  )
}

/** An address that a visitor's browser named: shown, and followed only where it is one of the web. */
function WebAddress({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener nofollow" inherit underline="always">
      {url.replace(/^https?:\/\//i, '')}
    </Anchor>
  )
}
