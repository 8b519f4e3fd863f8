import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { TrackingSettings } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Breakable } from '../../../ui/breakable.tsx'
import { useChange, useMay } from '../../shared/account.tsx'
import { texts as shared } from '../../shared/en.ts'
import { fieldError } from '../../shared/field-error.ts'
import { PageLink } from '../../shared/named-links.tsx'
import { linesOf } from '../portal-fields.ts'
import { texts } from './en.ts'

const { sites: labels } = texts

/** The sites of the campaigns, which are always allowed, and those that the team adds. */
export function SitesForm({ tracking }: { tracking: TrackingSettings }) {
  const mayChange = useMay('settings')
  const [text, setText] = useState(tracking.sites.join('\n'))
  const save = useChange('updateTracking', { done: labels.saved, isQuiet: true })
  const problem = fieldError(save.error, 'sites')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save.mutate({ body: { sites: linesOf(text) } })
      }}
    >
      <Stack>
        <CampaignSites sites={tracking.campaign_sites} />
        {save.error && !problem && (
          <Alert color="red" role="alert" variant="light">
            {save.error.message}
          </Alert>
        )}
        <Textarea
          label={labels.label}
          description={labels.hint}
          autosize
          minRows={2}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
          readOnly={!mayChange}
          error={problem}
        />
        {mayChange && (
          <Group>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={linesOf(text).join('\n') === tracking.sites.join('\n')}
            >
              {shared.actions.save}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

function CampaignSites({ sites }: { sites: TrackingSettings['campaign_sites'] }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {labels.campaigns}
      </Text>
      {sites.length === 0 && (
        <Text size="sm" c="dimmed">
          {labels.noCampaigns}
        </Text>
      )}
      {sites.map(({ site, campaign }) => (
        <Group key={site} gap="xs" justify="space-between">
          <Text size="sm">
            <Breakable>{site}</Breakable>
          </Text>
          <Text size="sm" component="div">
            <PageLink to={`campaigns/${campaign.id}`}>{campaign.name}</PageLink>
          </Text>
        </Group>
      ))}
    </div>
  )
}
