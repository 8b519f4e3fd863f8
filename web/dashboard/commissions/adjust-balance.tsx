import { Alert, Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { parseMoney } from '@tributary/contract/money'
import { useState } from 'react'
import { money } from '../../ui/format.ts'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { manualId } from '../shared/manual-id.ts'
import { texts as areaTexts } from './en.ts'

const { actions, fields } = sharedTexts
const texts = areaTexts.adjust

/** Corrects an affiliate's balance with a separate adjustment entry. */
export function AdjustBalance({ affiliateId, onClose }: { affiliateId?: number; onClose: () => void }) {
  const [affiliate, setAffiliate] = useState(affiliateId)
  const [campaign, setCampaign] = useState<number>()
  const [amount, setAmount] = useState('')
  const [description, setDescription] = useState('')
  // One for as long as the dialog is open, so that sending it again after a lost response adjusts once.
  const [requestId] = useState(() => manualId('adjustment'))
  const chosen = useCall('getAffiliate', { id: affiliate ?? 0 }, { enabled: affiliate !== undefined }).data
  // Archived campaigns, which may still owe, come last.
  const campaigns = (chosen?.enrolments ?? []).toSorted(
    (a, b) => Number(a.campaign_status === 'archived') - Number(b.campaign_status === 'archived'),
  )
  // Most affiliates are in one campaign, which is then preselected.
  const terms =
    campaigns.length === 1 ? campaigns[0] : campaigns.find(({ campaign_id }) => campaign_id === campaign)
  const minor = terms && parseMoney(amount, terms.payout_currency)
  const adjust = useChange('adjustBalance', { done: texts.done, onDone: onClose })
  const isAmountWrong = amount !== '' && terms !== undefined && !minor
  return (
    <Modal opened onClose={onClose} title={texts.title} closeButtonProps={{ 'aria-label': actions.close }}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (!affiliate || !terms || !minor) return
          adjust.mutate({
            body: {
              affiliate_id: affiliate,
              campaign_id: terms.campaign_id,
              amount_minor: minor,
              description,
              request_id: requestId,
            },
          })
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            {texts.note}
          </Text>
          <AffiliatePicker value={affiliate} onChange={setAffiliate} required />
          <Select
            label={fields.campaign}
            description={texts.campaignHint}
            placeholder={affiliate === undefined ? texts.noAffiliate : texts.selectCampaign}
            data={campaigns.map(({ campaign_id, campaign_name, campaign_status }) => ({
              value: String(campaign_id),
              label:
                campaign_status === 'archived' ? sharedTexts.filters.archived(campaign_name) : campaign_name,
            }))}
            value={terms ? String(terms.campaign_id) : null}
            onChange={id => setCampaign(id === null ? undefined : Number(id))}
            disabled={campaigns.length === 0}
            allowDeselect={false}
            required
          />
          <TextInput
            label={texts.amount(terms?.payout_currency)}
            description={texts.amountHint}
            placeholder={texts.amountExample}
            inputMode="text"
            value={amount}
            onChange={event => setAmount(event.currentTarget.value)}
            error={
              isAmountWrong && texts.amountError(money(1250, terms.payout_currency).replace(/[^\d.,]/g, ''))
            }
            required
          />
          <Textarea
            label={fields.description}
            description={texts.descriptionHint}
            value={description}
            onChange={event => setDescription(event.currentTarget.value)}
            maxLength={1000}
            autosize
            minRows={2}
            required
          />
          {minor && chosen && (
            <Alert variant="light" color={minor < 0 ? 'orange' : 'teal'} p="sm" role="status">
              {texts.preview(
                minor < 0,
                money(Math.abs(minor), terms.payout_currency),
                chosen.name ?? chosen.email,
                terms.campaign_name,
              )}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {actions.cancel}
            </Button>
            <Button type="submit" loading={adjust.isPending} disabled={!minor || description === ''}>
              {texts.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
