import { Code, Grid, Skeleton, Stack, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { CampaignDetail } from '@tributary/contract/dashboard'
import { count, words } from '../../ui/format.ts'
import { useCall, useChange, useMay, usePath } from '../shared/account.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { Section } from '../shared/section.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { changeOf, creationOf, fieldsOfCampaign, newCampaignFields } from './campaign-fields.ts'
import { CampaignFormFields } from './campaign-form.tsx'
import { RuleHistory } from './campaign-rules.tsx'
import { CampaignTerms } from './campaign-terms.tsx'

export function NewCampaign() {
  const path = usePath()
  const navigate = useNavigate()
  const create = useChange('createCampaign', {
    done: 'The campaign is created.',
    onDone: ({ id }) => void navigate({ to: path(`campaigns/${id}`) }),
  })
  if (!useMay('programme'))
    return (
      <>
        <PageHead title="New campaign" />
        <EmptyState title="Your role does not allow this">
          Ask an owner of the account to create the campaign, or to change your role.
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHead title="New campaign" note="The terms under which affiliates promote you." />
      <div style={{ maxWidth: 860 }}>
        <CampaignFormFields
          initial={newCampaignFields}
          isNew
          isBusy={create.isPending}
          error={create.error}
          onSave={fields => create.mutate({ body: creationOf(fields) })}
        />
      </div>
    </>
  )
}

export function CampaignPage() {
  const { id } = useParams({ strict: false })
  const campaign = useCall('getCampaign', { id: Number(id) })
  if (campaign.isPending) return <Skeleton height={320} aria-label="Loading" />
  if (campaign.isError)
    return (
      <>
        <PageHead title="Campaign" />
        <ErrorNotice error={campaign.error} retry={() => void campaign.refetch()} />
      </>
    )
  return <CampaignShown campaign={campaign.data} />
}

function CampaignShown({ campaign }: { campaign: CampaignDetail }) {
  const mayChange = useMay('programme')
  const update = useChange('updateCampaign', { done: 'Saved.' })
  const fields = fieldsOfCampaign(campaign)
  const search = { campaign_id: campaign.id }
  return (
    <>
      <PageHead
        title={campaign.name}
        note={`${words(campaign.program_type)} campaign, ${campaign.visibility}`}
      >
        <ButtonLink to="/$account/affiliates" search={search} variant="default">
          Affiliates ({count(campaign.enrolled)}
          {campaign.has_more_enrolled && '+'})
        </ButtonLink>
        <ButtonLink to="/$account/commissions" search={search} variant="default">
          Commissions
        </ButtonLink>
      </PageHead>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          {mayChange ? (
            <CampaignFormFields
              // What was saved, here or elsewhere, is what the form begins with.
              key={JSON.stringify(fields)}
              initial={fields}
              isNew={false}
              isBusy={update.isPending}
              error={update.error}
              onSave={changed => update.mutate({ id: campaign.id, body: changeOf(changed) })}
            />
          ) : (
            <CampaignTerms campaign={campaign} />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <Section title="At a glance">
              <FactList
                facts={[
                  [
                    'Campaign',
                    <Copy key="id" value={String(campaign.id)} label="Copy the campaign’s id">
                      {campaign.id}
                    </Copy>,
                  ],
                  [
                    'Slug',
                    <Copy key="slug" value={campaign.slug} label="Copy the slug">
                      {campaign.slug}
                    </Copy>,
                  ],
                  ['Type', words(campaign.program_type)],
                  ['Paid in', campaign.payout_currency],
                  ['Created', <When key="created" time={campaign.created_at} />],
                ]}
              />
            </Section>
            {campaign.join_link && (
              <Section title="Join link">
                <Copy value={campaign.join_link} label="Copy join link">
                  <Code style={{ overflowWrap: 'anywhere' }}>{campaign.join_link}</Code>
                </Copy>
                <Text size="sm" c="dimmed" mt="xs">
                  {campaign.visibility === 'public'
                    ? 'Anyone can join here. The portal lists this campaign, too.'
                    : 'Anyone with this link can join. The campaign is listed nowhere.'}{' '}
                  You still approve every affiliate.
                </Text>
              </Section>
            )}
            <Section title="Rules so far">
              {campaign.rule_versions.length === 0 ? (
                <Text size="sm" c="dimmed">
                  This campaign has no rule: sales earn nothing.
                </Text>
              ) : (
                <RuleHistory versions={campaign.rule_versions} />
              )}
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
