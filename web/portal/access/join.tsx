import { Anchor, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { type FormEvent, useState } from 'react'
import { CampaignTerms } from '../campaigns/campaign-terms.tsx'
import { useChange } from '../shared/api.ts'
import { look } from '../shared/look.ts'
import { rewardWords } from '../shared/reward-words.ts'
import { PageLink } from '../shared/router.tsx'
import { Problem } from '../shared/states.tsx'
import { DoorCard } from './door.tsx'

const texts = pages.join

/** Where strangers become affiliates. They are one once they have proved that the address is theirs. */
export function Join({ campaignSlug }: { campaignSlug: string | undefined }) {
  const { invited } = look
  // A private campaign stands alone: its link is about nothing else.
  const joinable = invited ? [invited] : look.campaigns.filter(({ is_open }) => is_open)
  const chosenFirst = joinable.find(({ slug }) => slug === campaignSlug) ?? joinable[0]
  const [campaignId, setCampaignId] = useState(chosenFirst?.id)
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const ask = useChange('askToJoin')
  const chosen = joinable.find(({ id }) => id === campaignId)
  if (!chosen)
    return (
      <DoorCard title={texts.none}>
        <Text>{texts.noneText}</Text>
        <ByInvitation />
        <KnownAlready />
      </DoorCard>
    )
  if (ask.isSuccess)
    return (
      <DoorCard title={texts.sent}>
        <Text role="status">{texts.sentText(email.trim())}</Text>
      </DoorCard>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const who = { email: email.trim(), name: name.trim() || null }
    const key = invited && { join_key: invited.join_key }
    ask.mutate({ body: { campaign_id: chosen.id, ...who, ...key } })
  }
  return (
    <DoorCard title={texts.title(look.name)} wide>
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
                    description={rewardWords(campaign.rewards)}
                  />
                ))}
              </Stack>
            </Radio.Group>
          ) : (
            <div>
              <Text fw={600}>{chosen.name}</Text>
              <Text>{rewardWords(chosen.rewards)}</Text>
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
          {look.terms_url && (
            <Text size="sm">
              {texts.accept(look.name)}{' '}
              <Anchor href={look.terms_url} target="_blank" rel="noreferrer" underline="always" inherit>
                {texts.readTerms}
              </Anchor>
            </Text>
          )}
          {ask.error && <Problem error={ask.error} />}
          <Button type="submit" size="md" loading={ask.isPending}>
            {texts.button}
          </Button>
        </Stack>
      </form>
      {!invited && <ByInvitation />}
      <KnownAlready />
    </DoorCard>
  )
}

/** What the portal lists and nobody joins by themselves. */
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
              {rewardWords(campaign.rewards)}
            </Text>
          </div>
        ))}
      </Stack>
    </section>
  )
}

const KnownAlready = () => (
  <Group justify="center" gap={6}>
    <Text size="sm">{texts.known}</Text>
    <PageLink to="/sign-in" size="sm">
      {texts.signIn}
    </PageLink>
  </Group>
)
