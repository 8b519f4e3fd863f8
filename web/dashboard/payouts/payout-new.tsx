import { Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useAccount } from '../shared/account.tsx'
import { localTimeOrNone } from '../shared/days.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { useAllCampaigns } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { type SearchOf, useFilters } from '../shared/use-filters.ts'
import { texts as areaTexts } from './en.ts'
import { DryRun } from './payout-dry-run.tsx'
import { offeredRails } from './payouts.search.ts'

const texts = areaTexts.create

/** Long enough to enter a date and a time without a preview for each digit. */
const TYPING_MS = 700

export function NewPayout() {
  const { campaign_id: chosen, rail = 'manual', cut_off } = useFilters('/$account/payouts/new').values
  const campaign_id = useChosenOrOnly(chosen)
  const request = campaign_id && { campaign_id, rail, cut_off: localTimeOrNone(cut_off) }
  return (
    <>
      <PageHead title={areaTexts.newPayout} note={texts.note} />
      <Choices rail={rail} />
      {request ? (
        // Remounted for each choice, so that no state of the last preview remains.
        <DryRun key={JSON.stringify(request)} request={request} />
      ) : (
        <Paper withBorder>
          <EmptyState title={texts.selectCampaign}>{texts.selectCampaignText}</EmptyState>
        </Paper>
      )}
    </>
  )
}

/** The only campaign needs no choice. */
function useChosenOrOnly(chosen: number | undefined): number | undefined {
  const campaigns = useAllCampaigns()
  return chosen ?? (campaigns.length === 1 ? campaigns[0]?.id : undefined)
}

function Choices({ rail }: { rail: (typeof offeredRails)[number] }) {
  const { values, set } = useFilters('/$account/payouts/new')
  const { time_zone: zone } = useAccount()
  const campaigns = useAllCampaigns()
  const campaignId = useChosenOrOnly(values.campaign_id)
  const [cutOff, setCutOff] = useState(values.cut_off ?? '')
  const applyCutOff = useDebouncedCallback((text: string) => set({ cut_off: text || undefined }), TYPING_MS)
  const choose = (changes: SearchOf<'/$account/payouts/new'>) => set({ ...changes, reason: undefined })
  return (
    <Paper withBorder p="md" mb="md">
      <Group align="flex-start" gap="md" grow preventGrowOverflow={false}>
        <Select
          label={sharedTexts.fields.campaign}
          placeholder={texts.selectCampaign}
          data={campaigns.map(({ id, name, payout_currency }) => ({
            value: String(id),
            label: texts.campaignOption(name, payout_currency),
          }))}
          value={campaignId === undefined ? null : String(campaignId)}
          onChange={value => choose({ campaign_id: value === null ? undefined : Number(value) })}
          searchable
          nothingFoundMessage={texts.noCampaignFound}
          miw={220}
        />
        <Select
          label={texts.method}
          data={offeredRails.map(value => ({ value, label: sharedTexts.payoutMethods[value] }))}
          value={rail}
          onChange={value => choose({ rail: offeredRails.find(each => each === value) })}
          allowDeselect={false}
          miw={160}
        />
        <TextInput
          type="datetime-local"
          label={texts.cutOff}
          description={texts.cutOffZone(zone)}
          inputWrapperOrder={['label', 'input', 'description']}
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
          {texts.methodNotes[rail]}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.cutOffNote}
          {campaigns.length === 0 && (
            <>
              {' '}
              {texts.noCampaign}{' '}
              <PageLink to="campaigns/new" inText>
                {texts.createCampaign}
              </PageLink>
            </>
          )}
        </Text>
      </Stack>
    </Paper>
  )
}
