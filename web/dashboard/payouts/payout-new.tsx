import { Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useCampaigns } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { asId, useFilters } from '../shared/url-state.ts'
import { DryRun } from './payout-dry-run.tsx'
import { railNotes, railWords } from './payout-words.ts'

const rails = ['manual', 'paypal'] as const
/** Long enough to choose a day and a time without a dry run for each digit. */
const TYPING_MS = 700

/** What a field for a local date and time holds, as the moment that it means. */
const momentOf = (local: string | undefined) => {
  const time = new Date(local ?? '').getTime()
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

export function NewPayout() {
  const [filters] = useFilters()
  const campaignId = asId(filters.campaign_id)
  const rail = rails.find(each => each === filters.rail) ?? 'manual'
  const request = campaignId && { campaign_id: campaignId, rail, cut_off: momentOf(filters.cut_off) }
  return (
    <>
      <PageHead
        title="New payout"
        note="A dry run first: nothing is made and nobody is paid until you say so."
      />
      <Choices rail={rail} />
      {request ? (
        // A new dry run for each choice: nothing of the last one may linger beside it.
        <DryRun key={JSON.stringify(request)} request={request} />
      ) : (
        <Paper withBorder>
          <EmptyState title="Choose a campaign">
            The dry run then shows who would be paid how much, and why everybody else gets nothing.
          </EmptyState>
        </Paper>
      )}
    </>
  )
}

function Choices({ rail }: { rail: (typeof rails)[number] }) {
  const [filters, setFilters] = useFilters()
  const campaigns = useCampaigns()
  const [cutOff, setCutOff] = useState(filters.cut_off ?? '')
  const applyCutOff = useDebouncedCallback((text: string) => setFilters({ cut_off: text }), TYPING_MS)
  const choose = (changes: Record<string, string | undefined>) =>
    setFilters({ ...changes, reason: undefined })
  return (
    <Paper withBorder p="md" mb="md">
      <Group align="flex-start" gap="md" grow preventGrowOverflow={false}>
        <Select
          label="Campaign"
          placeholder="Whose affiliates are paid"
          data={campaigns.map(({ id, name, payout_currency }) => ({
            value: String(id),
            label: `${name} (${payout_currency})`,
          }))}
          value={filters.campaign_id ?? null}
          onChange={value => choose({ campaign_id: value ?? undefined })}
          searchable
          nothingFoundMessage="No campaign of that name"
          miw={220}
        />
        <Select
          label="Rail"
          data={rails.map(value => ({ value, label: railWords[value] }))}
          value={rail}
          onChange={value => choose({ rail: value ?? undefined })}
          allowDeselect={false}
          miw={160}
        />
        <TextInput
          type="datetime-local"
          label="Cut-off (optional)"
          value={cutOff}
          onChange={event => {
            setCutOff(event.currentTarget.value)
            applyCutOff(event.currentTarget.value)
          }}
          miw={220}
        />
      </Group>
      <Stack gap={2} mt="xs">
        <Text size="sm" c="dimmed">
          {railNotes[rail]}
        </Text>
        <Text size="sm" c="dimmed">
          With a cut-off, only what was earned until then is paid, in your time zone; without one, everything
          until now.
          {campaigns.length === 0 && (
            <>
              {' '}
              There is no campaign yet:{' '}
              <PageLink to="campaigns/new" inText>
                create one
              </PageLink>
              .
            </>
          )}
        </Text>
      </Stack>
    </Paper>
  )
}
