import { Alert, Button, Group, Modal, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall, useChange, usePath } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { fieldError } from '../shared/field-error.ts'
import { useCampaigns } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

const { add: labels, fields: names } = texts

/** Adds an affiliate. An email that is already known is enrolled in the campaign instead. */
export function AddAffiliate({ onClose }: { onClose: () => void }) {
  const path = usePath()
  const navigate = useNavigate()
  const campaigns = useCampaigns()
  const [campaign, setCampaign] = useState<string | null>(null)
  const chosen = campaign ?? (campaigns.length === 1 ? String(campaigns[0]?.id) : null)
  const account = useCall('getAccount')
  const [isApproved, setIsApproved] = useState(true)
  const [wantsInvite, setWantsInvite] = useState(true)
  const canInvite = typeof account.data?.mail_from === 'string'
  const add = useChange('createAffiliate', {
    done: ({ created, invited }) =>
      created ? (invited ? labels.addedAndInvited : labels.added) : labels.enrolled,
    onDone: ({ id }) => void navigate({ to: path(`affiliates/${id}`) }),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={labels.submit}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          const fields = new FormData(event.currentTarget)
          const text = (name: string) => String(fields.get(name) ?? '').trim()
          add.mutate({
            body: {
              email: text('email'),
              campaign_id: Number(chosen),
              name: text('name') || null,
              paypal_email: text('paypal_email') || null,
              approve: isApproved,
              invite: canInvite && wantsInvite,
            },
          })
        }}
      >
        <Stack>
          <TextInput
            label={names.email}
            name="email"
            type="email"
            required
            maxLength={254}
            error={fieldError(add.error, 'email')}
            data-autofocus
          />
          <TextInput label={names.name} name="name" maxLength={255} description={labels.nameHint} />
          <Select
            label={names.campaign}
            placeholder={names.selectCampaign}
            data={campaigns.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={chosen}
            onChange={setCampaign}
            allowDeselect={false}
            searchable
            required
          />
          {campaigns.length === 0 && (
            <Alert color="yellow" variant="light">
              {labels.noCampaigns}{' '}
              <PageLink to="campaigns/new" inText>
                {labels.createCampaign}
              </PageLink>
            </Alert>
          )}
          <TextInput
            label={names.paypalEmail}
            name="paypal_email"
            type="email"
            maxLength={254}
            description={labels.paypalHint}
            error={fieldError(add.error, 'paypal_email')}
          />
          <Switch
            label={labels.approve}
            description={labels.approveNote}
            checked={isApproved}
            onChange={event => setIsApproved(event.currentTarget.checked)}
          />
          <Switch
            label={labels.invite}
            description={account.data && !canInvite ? labels.noEmail : labels.inviteNote}
            checked={canInvite && wantsInvite}
            disabled={!canInvite}
            onChange={event => setWantsInvite(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={chosen === null}>
              {labels.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
