import { Anchor, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import type { ListedCampaign } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { type FormEvent, useState } from 'react'
import { CampaignTerms } from '../campaigns/campaign-terms.tsx'
import { JoinFormFields } from '../campaigns/join-form.tsx'
import { useJoinForm } from '../campaigns/use-join-form.ts'
import { useChange } from '../shared/api.ts'
import { look } from '../shared/look.ts'
import { rewardText } from '../shared/reward-text.ts'
import { PageLink } from '../shared/router.tsx'
import { Problem } from '../shared/states.tsx'
import { AccessCard } from './access-card.tsx'

const texts = pages.join

/** The sign-up page. */
export function Join({ campaignSlug }: { campaignSlug: string | undefined }) {
  const { invited } = look
  // The join link of a private campaign offers that campaign only.
  const joinable = invited ? [invited] : look.campaigns.filter(({ is_open }) => is_open)
  const chosenFirst = joinable.find(({ slug }) => slug === campaignSlug) ?? joinable[0]
  if (!chosenFirst)
    return (
      <AccessCard title={texts.none}>
        <Text>{texts.noneText}</Text>
        <ByInvitation />
        <AlreadyJoined />
      </AccessCard>
    )
  if (!look.sends_emails)
    return (
      <AccessCard title={texts.noEmails}>
        <Text>{texts.noEmailsText(look.name)}</Text>
      </AccessCard>
    )
  return <SignUpForm joinable={joinable} chosenFirst={chosenFirst} />
}

/** A visitor becomes an affiliate only after confirming their email address. */
function SignUpForm({ joinable, chosenFirst }: { joinable: ListedCampaign[]; chosenFirst: ListedCampaign }) {
  const { invited } = look
  const [campaignId, setCampaignId] = useState(chosenFirst.id)
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const request = useChange('requestToJoin')
  const chosen = joinable.find(({ id }) => id === campaignId) ?? chosenFirst
  const state = useJoinForm(chosen, invited?.join_key)
  if (request.isSuccess)
    return (
      <AccessCard title={texts.sent}>
        <Text role="status">{texts.sentText(email.trim())}</Text>
      </AccessCard>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const person = { email: email.trim(), name: name.trim() || null }
    const key = invited && { join_key: invited.join_key }
    const form = state.filled && { form: state.filled }
    request.mutate(
      { body: { campaign_id: chosen.id, ...person, ...key, ...form } },
      { onError: state.onRefused },
    )
  }
  return (
    <AccessCard title={texts.title(look.name)} wide>
      <Text c="dimmed">{texts.text}</Text>
      <form onSubmit={submit}>
        <Stack>
          {joinable.length > 1 ? (
            <Radio.Group
              label={texts.campaign}
              value={String(chosen.id)}
              onChange={value => setCampaignId(Number(value))}
            >
              <Stack gap="xs" mt={4}>
                {joinable.map(campaign => (
                  <Radio
                    key={campaign.id}
                    value={String(campaign.id)}
                    label={campaign.name}
                    description={rewardText(campaign.rewards)}
                  />
                ))}
              </Stack>
            </Radio.Group>
          ) : (
            <div>
              <Text fw={600}>{chosen.name}</Text>
              <Text>{rewardText(chosen.rewards)}</Text>
            </div>
          )}
          <CampaignTerms campaign={chosen} />
          <TextInput
            label={texts.name}
            autoComplete="name"
            size="md"
            maxLength={255}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="email"
            required
            size="md"
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
          />
          <JoinFormFields state={state} />
          {look.terms_url && (
            <Text size="sm">
              {texts.accept(look.name)}{' '}
              <Anchor href={look.terms_url} target="_blank" rel="noreferrer" underline="always" inherit>
                {texts.readTerms}
              </Anchor>
            </Text>
          )}
          {request.error && <Problem error={request.error} />}
          <Button type="submit" size="md" loading={request.isPending} disabled={!state.isReady}>
            {texts.button}
          </Button>
        </Stack>
      </form>
      {!invited && <ByInvitation />}
      <AlreadyJoined />
    </AccessCard>
  )
}

/** Public campaigns without open enrolment: listed, but only the company can enrol affiliates. */
function ByInvitation() {
  const closed = look.campaigns.filter(({ is_open }) => !is_open)
  if (closed.length === 0) return null
  return (
    <section aria-labelledby="by-invitation">
      <Text fw={600} size="sm" id="by-invitation">
        {texts.byInvitation}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.byInvitationText}
      </Text>
      <Stack gap="xs" mt="xs">
        {closed.map(campaign => (
          <div key={campaign.id}>
            <Text size="sm">{campaign.name}</Text>
            <Text size="xs" c="dimmed">
              {rewardText(campaign.rewards)}
            </Text>
          </div>
        ))}
      </Stack>
    </section>
  )
}

const AlreadyJoined = () => (
  <Group justify="center" gap={6}>
    <Text size="sm">{texts.known}</Text>
    <PageLink to="/sign-in" size="sm">
      {texts.signIn}
    </PageLink>
  </Group>
)
