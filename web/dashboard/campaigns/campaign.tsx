import { Alert, Code, Grid, Group, Skeleton, Space, Stack, Text } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { CampaignDetail, DashboardBody } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { count } from '../../ui/format.ts'
import { useCall, useChange, useMay, usePath } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { Performance } from '../shared/performance.tsx'
import { Section } from '../shared/section.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { CampaignActions } from './campaign-actions.tsx'
import { changesOf, copyFields, creationOf, fieldsOfCampaign, newCampaignFields } from './campaign-fields.ts'
import { CampaignFormFields } from './campaign-form.tsx'
import { CampaignLinks } from './campaign-links.tsx'
import { RuleHistory } from './campaign-rules.tsx'
import { CampaignTerms } from './campaign-terms.tsx'
import { texts } from './en.ts'
import { JoinForm } from './join-form.tsx'

const { page } = texts

export function NewCampaign() {
  const path = usePath()
  const navigate = useNavigate()
  const create = useChange('createCampaign', {
    done: texts.create.created,
    onDone: ({ id }) => void navigate({ to: path(`campaigns/${id}`) }),
  })
  const { copy } = useSearch({ from: '/$account/campaigns/new' })
  const original = useCall('getCampaign', { id: copy ?? 0 }, { enabled: copy !== undefined })
  if (!useMay('programme'))
    return (
      <>
        <PageHead title={texts.create.title} />
        <EmptyState title={texts.create.notAllowed}>{texts.create.notAllowedNote}</EmptyState>
      </>
    )
  if (copy !== undefined && !original.data)
    return (
      <>
        <PageHead title={texts.create.title} />
        {original.isError ? (
          <ErrorNotice error={original.error} retry={() => void original.refetch()} />
        ) : (
          <Skeleton height={320} role="status" aria-label={shared.states.loading} />
        )}
      </>
    )
  return (
    <>
      {original.data ? (
        <PageHead title={texts.create.copyTitle(original.data.name)} note={texts.create.copyNote} />
      ) : (
        <PageHead title={texts.create.title} note={texts.create.note} />
      )}
      <div style={{ maxWidth: 860 }}>
        <CampaignFormFields
          key={copy}
          initial={original.data ? copyFields(original.data) : newCampaignFields}
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
  if (campaign.isPending) return <Skeleton height={320} role="status" aria-label={shared.states.loading} />
  if (campaign.isError)
    return (
      <>
        <PageHead title={page.title} />
        <ErrorNotice error={campaign.error} retry={() => void campaign.refetch()} />
      </>
    )
  return <CampaignView campaign={campaign.data} />
}

/** What it means that the campaign is paused or archived, and what to do about it. */
function Stopped({ campaign, status }: { campaign: CampaignDetail; status: 'paused' | 'archived' }) {
  return (
    <Alert color="yellow" variant="light" title={texts.actions.notice[status]} mb="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 320px">
          {texts.actions.noticeText[status]}
        </Text>
        {useMay('money') && (
          <ButtonLink
            to="/$account/payouts/new"
            search={{ campaign_id: campaign.id }}
            variant="default"
            size="xs"
          >
            {texts.actions.createPayout}
          </ButtonLink>
        )}
      </Group>
    </Alert>
  )
}

function CampaignView({ campaign }: { campaign: CampaignDetail }) {
  const mayChange = useMay('programme')
  const update = useChange('updateCampaign', { done: page.updated })
  const fields = fieldsOfCampaign(campaign)
  const search = { campaign_id: campaign.id }
  const [asked, setAsked] = useState<DashboardBody<'updateCampaign'> | null>(null)
  const [resets, setResets] = useState(0)
  const save = (changes: DashboardBody<'updateCampaign'>) => update.mutate({ id: campaign.id, body: changes })
  const enrolled = `${count(campaign.enrolled)}${campaign.has_more_enrolled ? '+' : ''}`
  return (
    <>
      <PageHead title={campaign.name} note={page.note(campaign.program_type, campaign.visibility)}>
        <ButtonLink to="/$account/affiliates" search={search} variant="default">
          {page.affiliates(enrolled)}
        </ButtonLink>
        <ButtonLink to="/$account/commissions" search={search} variant="default">
          {page.commissions}
        </ButtonLink>
        <CampaignActions campaign={campaign} />
      </PageHead>
      {asked && (
        <ConfirmDialog
          title={page.changeRule}
          confirm={page.changeRule}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            save(asked)
            setAsked(null)
          }}
        >
          <Text size="sm">{page.ruleEffect(enrolled, campaign.enrolled)}</Text>
        </ConfirmDialog>
      )}
      {campaign.status !== 'active' && <Stopped campaign={campaign} status={campaign.status} />}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          {mayChange ? (
            <CampaignFormFields
              // Saving, here or in another tab, resets the form to the saved values.
              key={JSON.stringify([fields, resets])}
              initial={fields}
              isNew={false}
              isBusy={update.isPending}
              error={update.error}
              onSave={changed => {
                const changes = changesOf(fields, changed)
                if (campaign.enrolled > 0 && changes.rewards) setAsked(changes)
                else if (Object.keys(changes).length > 0) save(changes)
                // Written in another way, such as 10.00 for 10.
                else setResets(count => count + 1)
              }}
            />
          ) : (
            <CampaignTerms campaign={campaign} />
          )}
          <Space h="md" />
          <JoinForm campaignId={campaign.id} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <Performance of={search} />
            <CampaignLinks campaign={campaign} />
            <Section title={page.details}>
              <FactList
                facts={[
                  [
                    page.id,
                    <Copy key="id" value={String(campaign.id)} label={page.copyId}>
                      {campaign.id}
                    </Copy>,
                  ],
                  [
                    page.slug,
                    <Copy key="slug" value={campaign.slug} label={page.copySlug}>
                      {campaign.slug}
                    </Copy>,
                  ],
                  [page.type, texts.types[campaign.program_type]],
                  [page.currency, campaign.payout_currency],
                  [page.created, <When key="created" time={campaign.created_at} />],
                ]}
              />
            </Section>
            {campaign.join_link && (
              <Section title={page.joinLink}>
                <Copy value={campaign.join_link} label={page.copyJoinLink}>
                  <Code style={{ overflowWrap: 'anywhere' }}>{campaign.join_link}</Code>
                </Copy>
                <Text size="sm" c="dimmed" mt="xs">
                  {page.joinNote[campaign.visibility]}
                </Text>
              </Section>
            )}
            <Section title={page.ruleHistory}>
              {campaign.rule_versions.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {page.noRules}
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
