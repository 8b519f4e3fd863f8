import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import type { JoinableCampaign } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { useCall, useChange } from '../shared/api.ts'
import { useMe } from '../shared/me.tsx'
import { rewardText } from '../shared/reward-text.ts'
import { Card, Empty, Loaded, PageHead, Problem } from '../shared/states.tsx'
import { CampaignTerms } from './campaign-terms.tsx'
import { JoinFormFields } from './join-form.tsx'
import { useJoinForm } from './use-join-form.ts'

const texts = pages.campaigns

/** All public campaigns. An affiliate can join any number of them. */
export function Campaigns() {
  const campaigns = useCall('listCampaigns')
  return (
    <>
      <PageHead title={texts.title} text={texts.text} />
      <Loaded query={campaigns}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.none} />
          ) : (
            <Stack>
              {data.map(campaign => (
                <CampaignCard key={campaign.id} campaign={campaign} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </>
  )
}

function CampaignCard({ campaign }: { campaign: JoinableCampaign }) {
  const [isOpen, setOpen] = useState(false)
  const state = useJoinForm({ ...campaign, has_join_form: campaign.has_join_form && isOpen })
  const join = useChange('joinCampaign', () => setOpen(false))
  const isView = useMe().view !== null
  const submit = () => {
    const { filled } = state
    join.mutate({ id: campaign.id, body: filled ? { form: filled } : {} }, { onError: state.onRefused })
  }
  const isFilledIn = isOpen || state.form !== undefined
  return (
    <Card>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 260px' }}>
          <Title order={2} size="h4">
            {campaign.name}
          </Title>
          <Text>{rewardText(campaign.rewards)}</Text>
          <CampaignTerms campaign={campaign} />
        </div>
        {campaign.is_joined ? (
          <Badge variant="light" color={campaign.is_paused ? 'yellow' : 'teal'} tt="none" miw="max-content">
            {campaign.is_paused ? texts.paused : texts.joined}
          </Badge>
        ) : !campaign.is_open ? (
          <Badge variant="light" color="gray" tt="none" miw="max-content">
            {texts.byInvitation}
          </Badge>
        ) : (
          !isFilledIn && (
            <Button
              loading={join.isPending}
              disabled={isView}
              onClick={() => (campaign.has_join_form ? setOpen(true) : submit())}
            >
              {texts.join}
            </Button>
          )
        )}
      </Group>
      {join.error && <Problem error={join.error} />}
      {isFilledIn && !campaign.is_joined && (
        <form
          onSubmit={event => {
            event.preventDefault()
            submit()
          }}
        >
          <Stack mt="md">
            <JoinFormFields state={state} />
            <Group>
              <Button type="submit" loading={join.isPending} disabled={!state.isReady}>
                {texts.join}
              </Button>
              {isOpen && (
                <Button variant="default" onClick={() => setOpen(false)}>
                  {pages.common.cancel}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      )}
    </Card>
  )
}
