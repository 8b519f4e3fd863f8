import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import type { RecentClick, TrackingSettings } from '@tributary/contract/dashboard'
import { useEffect, useState } from 'react'
import { Breakable } from '../../../ui/breakable.tsx'
import { Status } from '../../../ui/values.tsx'
import { useCall, useChange, useMay } from '../../shared/account.tsx'
import { When } from '../../shared/facts.tsx'
import { PageLink } from '../../shared/named-links.tsx'
import { ErrorNotice } from '../../shared/states.tsx'
import { type Finding, findingOf, siteOf } from './check-outcome.ts'
import { texts } from './en.ts'

const { verify: labels } = texts

const POLL_MS = 2000
/** A tab that is left open must not poll for ever. */
const LONGEST_MS = 5 * 60_000

interface Check {
  /** The newest click when the check began. */
  since: number
  isOver: boolean
}

/** Shows the newest clicks and, while checking, the new ones as they arrive. */
export function VerifyInstallation({ tracking }: { tracking: TrackingSettings }) {
  const [check, setCheck] = useState<Check | null>(null)
  const known = useCall('getRecentClicks')
  const list = known.data?.data ?? []
  const finding: Finding = check ? findingOf(list, check.since) : { outcome: 'waiting' }
  const isWatching = check !== null && !check.isOver && finding.outcome !== 'works'
  // The same query, polled until it has the result.
  const clicks = useCall('getRecentClicks', {}, { refetchInterval: isWatching && POLL_MS })

  const end = () => setCheck(before => before && { ...before, isOver: true })
  useEffect(() => {
    if (!isWatching) return undefined
    const timer = setTimeout(() => setCheck(before => before && { ...before, isOver: true }), LONGEST_MS)
    return () => clearTimeout(timer)
  }, [isWatching])

  const start = async () => {
    const { data } = await clicks.refetch()
    setCheck({ since: data?.data[0]?.id ?? 0, isOver: false })
  }
  return (
    <>
      <Group gap="sm">
        {isWatching ? (
          <Button variant="default" onClick={end}>
            {labels.stop}
          </Button>
        ) : (
          <Button onClick={() => void start()}>{labels.start}</Button>
        )}
        {isWatching && tracking.test_link && (
          <Button
            component="a"
            variant="light"
            href={tracking.test_link.url}
            target="_blank"
            rel="noopener noreferrer"
          >
            {labels.openLink}
          </Button>
        )}
      </Group>
      {isWatching && (
        <Text size="xs" c="dimmed">
          {tracking.test_link ? labels.testLink(tracking.test_link.affiliate) : labels.noLink}
        </Text>
      )}
      {check && (
        <Outcome
          finding={finding}
          isOver={!isWatching}
          tracking={tracking}
          // The browser did not store that click, so only a later one shows that it works.
          onAllowed={() => finding.click && setCheck({ since: finding.click.id, isOver: false })}
        />
      )}
      {clicks.isError && <ErrorNotice error={clicks.error} retry={() => void clicks.refetch()} />}
      {clicks.data && <ClickList clicks={list} />}
    </>
  )
}

function Outcome({
  finding: { outcome, click },
  isOver,
  tracking,
  onAllowed,
}: {
  finding: Finding
  isOver: boolean
  tracking: TrackingSettings
  onAllowed: () => void
}) {
  if (outcome === 'waiting' || !click)
    return (
      <Group gap="xs" role="status">
        {!isOver && <Loader size="xs" />}
        <Text size="sm">{isOver ? labels.ended : labels.waiting}</Text>
      </Group>
    )
  const site = siteOf(click.landing_url)
  const explained = { works: labels.works, link_only: labels.linkOnly, not_allowed: labels.notAllowed }
  return (
    <Alert
      color={outcome === 'works' ? 'teal' : 'yellow'}
      variant="light"
      role="status"
      title={labels.outcomes[outcome]}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{explained[outcome](site)}</Text>
        {outcome === 'not_allowed' && <AllowSite site={site} sites={tracking.sites} onAllowed={onAllowed} />}
      </Stack>
    </Alert>
  )
}

function AllowSite({ site, sites, onAllowed }: { site: string; sites: string[]; onAllowed: () => void }) {
  const mayChange = useMay('settings')
  const save = useChange('updateTracking', { done: texts.sites.allowed, onDone: onAllowed })
  if (!mayChange || site === '') return null
  return (
    <Button
      size="xs"
      variant="light"
      loading={save.isPending}
      onClick={() => save.mutate({ body: { sites: [...sites, site] } })}
    >
      {labels.allow(site)}
    </Button>
  )
}

const sourceOf = ({ is_bot, by_script, is_allowed }: RecentClick) => {
  if (is_bot) return { value: 'disabled', label: labels.sources.bot }
  if (!by_script) return { value: 'pending', label: labels.sources.link }
  return is_allowed
    ? { value: 'active', label: labels.sources.script }
    : { value: 'failed', label: labels.sources.not_allowed }
}

function ClickList({ clicks }: { clicks: RecentClick[] }) {
  return (
    <section aria-label={labels.recent}>
      <Text size="sm" fw={500} mb={4}>
        {labels.recent}
      </Text>
      {clicks.length === 0 && (
        <Text size="sm" c="dimmed">
          {labels.none}
        </Text>
      )}
      <Stack gap="xs">
        {clicks.map(click => (
          <div key={click.id}>
            <Group gap="xs" justify="space-between">
              <Text size="sm" component="div">
                <PageLink to={`affiliates/${click.affiliate.id}`}>{click.affiliate.name}</PageLink>
              </Text>
              <Group gap="xs">
                <Status {...sourceOf(click)} />
                <Text size="xs" c="dimmed" component="div">
                  <When time={click.created_at} withTime />
                </Text>
              </Group>
            </Group>
            {click.landing_url && (
              <Text size="xs" c="dimmed">
                <Breakable>{click.landing_url}</Breakable>
              </Text>
            )}
          </div>
        ))}
      </Stack>
    </section>
  )
}
