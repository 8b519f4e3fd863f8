import { Alert, Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { parseMoney } from '@tributary/contract/money'
import { useState } from 'react'
import { money } from '../../ui/format.ts'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { useCampaigns } from '../shared/list-filters.tsx'

/** Corrects what an affiliate is owed, by an entry of its own. */
export function AdjustBalance({ affiliateId, onClose }: { affiliateId?: number; onClose: () => void }) {
  const [affiliate, setAffiliate] = useState(affiliateId)
  const [campaign, setCampaign] = useState<number>()
  const [amount, setAmount] = useState('')
  const [description, setDescription] = useState('')
  const chosen = useCall('getAffiliate', { id: affiliate ?? 0 }, { enabled: affiliate !== undefined }).data
  const enrolled = chosen?.enrolments.map(each => each.campaign_id) ?? []
  const campaigns = useCampaigns().filter(({ id }) => enrolled.includes(id))
  // Most affiliates are in one campaign, and then there is nothing to choose.
  const terms = campaigns.length === 1 ? campaigns[0] : campaigns.find(({ id }) => id === campaign)
  const minor = terms && parseMoney(amount, terms.payout_currency)
  const adjust = useChange('adjustBalance', { done: 'The balance is adjusted.', onDone: onClose })
  const isAmountWrong = amount !== '' && terms !== undefined && !minor
  return (
    <Modal opened onClose={onClose} title="Adjust balance" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (!affiliate || !terms || !minor) return
          adjust.mutate({
            body: { affiliate_id: affiliate, campaign_id: terms.id, amount_minor: minor, description },
          })
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            Nothing that was written is changed: the correction is an entry of its own, payable with the next
            payout.
          </Text>
          <AffiliatePicker value={affiliate} onChange={setAffiliate} required />
          <Select
            label="Campaign"
            description="A campaign that the affiliate is enrolled in"
            placeholder={affiliate === undefined ? 'Choose an affiliate first' : 'Choose one'}
            data={campaigns.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={terms ? String(terms.id) : null}
            onChange={id => setCampaign(id === null ? undefined : Number(id))}
            disabled={campaigns.length === 0}
            allowDeselect={false}
            required
          />
          <TextInput
            label={terms ? `Amount in ${terms.payout_currency}` : 'Amount'}
            description="With a minus in front, it is taken away"
            placeholder="12.50"
            inputMode="text"
            value={amount}
            onChange={event => setAmount(event.currentTarget.value)}
            error={
              isAmountWrong &&
              `Write an amount other than 0, such as ${money(1250, terms.payout_currency).replace(/[^\d.,]/g, '')}`
            }
            required
          />
          <Textarea
            label="Description"
            description="Why; the affiliate sees it"
            value={description}
            onChange={event => setDescription(event.currentTarget.value)}
            maxLength={1000}
            autosize
            minRows={2}
            required
          />
          {minor && chosen && (
            <Alert variant="light" color={minor < 0 ? 'orange' : 'teal'} p="sm" role="status">
              {minor < 0 ? 'Takes' : 'Adds'} {money(Math.abs(minor), terms.payout_currency)}{' '}
              {minor < 0 ? 'from' : 'to'} what {chosen.name ?? chosen.email} is owed in {terms.name}.
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={adjust.isPending} disabled={!minor || description === ''}>
              Adjust balance
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
