import { Skeleton, Stack, Text } from '@mantine/core'
import type { CampaignDetail, ExploredRow } from '@tributary/contract/dashboard'
import { useCall } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import * as figures from '../shared/figures.ts'
import { TextLink } from '../shared/links.tsx'
import { Section } from '../shared/section.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'

const SHOWN = 5

const { links: labels } = texts

/** The affiliates' links with the most clicks in the last 30 days. */
export function CampaignLinks({ campaign }: { campaign: CampaignDetail }) {
  const search = { campaign_id: campaign.id, by: 'link', sort: 'clicks' } as const
  const explored = useCall('explore', { query: search })
  const rows = explored.data?.rows.filter(isLink).slice(0, SHOWN) ?? []
  return (
    <Section title={labels.title}>
      {explored.isPending && <Skeleton height={120} role="status" aria-label={shared.states.loading} />}
      {explored.isError && <ErrorNotice error={explored.error} retry={() => void explored.refetch()} />}
      {explored.data && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {labels.empty}
        </Text>
      )}
      {rows.length > 0 && (
        <>
          <Stack gap="xs" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
            {rows.map(row => (
              <li key={row.key}>
                <TextLink
                  to="/$account/explore"
                  search={{ campaign_id: campaign.id, source: 'link', source_value: row.key }}
                  size="sm"
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {/* Its name is that of the page. */}
                  {row.label.replace(` · ${campaign.name}`, '')}
                </TextLink>
                <Text size="xs" c="dimmed">
                  {labels.counts(row.now)}
                  {hasRevenue(row) && ` · ${figures.revenue(row.now)}`}
                </Text>
              </li>
            ))}
          </Stack>
          <TextLink to="/$account/explore" search={search} size="sm" mt="sm" display="inline-block">
            {labels.all}
          </TextLink>
        </>
      )}
    </Section>
  )
}

/** Not what is summed up because there are too many, nor clicks without a link. */
const isLink = ({ key }: ExploredRow) => /^\d/.test(key)

const hasRevenue = ({ now }: ExploredRow) => now.money.some(({ revenue_minor }) => revenue_minor > 0)
