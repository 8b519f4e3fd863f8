import { Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { momentOf } from '../shared/days.ts'
import { useCampaigns } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { type SearchOf, useFilters } from '../shared/use-filters.ts'
import { DryRun } from './payout-dry-run.tsx'
import { railNotes, railWords } from './payout-words.ts'
import { offeredRails } from './payouts.search.ts'

/** Long enough to choose a day and a time without a dry run for each digit. */
const TYPING_MS = 700

export function NewPayout() {
  const { campaign_id, rail = 'manual', cut_off } = useFilters('/$account/payouts/new').values
  const request = campaign_id && { campaign_id, rail, cut_off: momentOf(cut_off) }
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

function Choices({ rail }: { rail: (typeof offeredRails)[number] }) {
  const { values, set } = useFilters('/$account/payouts/new')
  const campaigns = useCampaigns()
  const [cutOff, setCutOff] = useState(values.cut_off ?? '')
  const applyCutOff = useDebouncedCallback((text: string) => set({ cut_off: text || undefined }), TYPING_MS)
  const choose = (changes: SearchOf<'/$account/payouts/new'>) => set({ ...changes, reason: undefined })
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
          value={values.campaign_id === undefined ? null : String(values.campaign_id)}
          onChange={value => choose({ campaign_id: value === null ? undefined : Number(value) })}
          searchable
          nothingFoundMessage="No campaign of that name"
          miw={220}
        />
        <Select
          label="Rail"
          data={offeredRails.map(value => ({ value, label: railWords[value] }))}
          value={rail}
          onChange={value => choose({ rail: offeredRails.find(each => each === value) })}
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
