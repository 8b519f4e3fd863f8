import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange, usePath } from '../shared/account.tsx'
import { fieldError } from '../shared/field-error.ts'
import { useCampaigns } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'

/** Adds somebody to the roster; one who is on it already is enrolled in the campaign. */
export function AddAffiliate({ onClose }: { onClose: () => void }) {
  const path = usePath()
  const navigate = useNavigate()
  const campaigns = useCampaigns()
  const [campaign, setCampaign] = useState<string | null>(null)
  const chosen = campaign ?? (campaigns.length === 1 ? String(campaigns[0]?.id) : null)
  const add = useChange('createAffiliate', {
    done: ({ created }) =>
      created ? 'The affiliate is added.' : 'This email was known already: the affiliate is enrolled.',
    onDone: ({ id }) => void navigate({ to: path(`affiliates/${id}`) }),
  })
  return (
    <Modal opened onClose={onClose} title="Add affiliate" closeButtonProps={{ 'aria-label': 'Close' }}>
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
            },
          })
        }}
      >
        <Stack>
          <TextInput
            label="Email"
            name="email"
            type="email"
            required
            maxLength={254}
            error={fieldError(add.error, 'email')}
            data-autofocus
          />
          <TextInput label="Name" name="name" maxLength={255} />
          <Select
            label="Campaign"
            placeholder="Choose one"
            data={campaigns.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={chosen}
            onChange={setCampaign}
            allowDeselect={false}
            searchable
            required
          />
          {campaigns.length === 0 && (
            <Alert color="yellow" variant="light">
              There is no campaign to enrol in yet.{' '}
              <PageLink to="campaigns/new" inText>
                Create one first.
              </PageLink>
            </Alert>
          )}
          <TextInput
            label="PayPal email"
            name="paypal_email"
            type="email"
            maxLength={254}
            description="Where PayPal payouts go; can be added later"
            error={fieldError(add.error, 'paypal_email')}
          />
          <Text size="sm" c="dimmed">
            A new affiliate is pending until you approve them.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending} disabled={chosen === null}>
              Add affiliate
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
