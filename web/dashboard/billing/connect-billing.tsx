import { Alert, Button, Group, Modal, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import {
  type ConnectorProvider,
  connectorProviders,
  numberedProviders,
} from '@tributary/contract/dashboard/connector-providers'
import { useState } from 'react'
import { useCall, useChange, usePath } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { texts } from './en.ts'

const { create: labels } = texts
const MOST_CAMPAIGNS = 200

/** Chooses a billing system and how its sales are credited. The rest is set up on its page, which has the webhook URL. */
export function ConnectBilling({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState<ConnectorProvider>('stripe')
  const [name, setName] = useState('')
  const [campaignId, setCampaignId] = useState<string | null>(null)
  const [base, setBase] = useState<'net' | 'gross'>('net')
  const [takesTests, setTakesTests] = useState(false)
  const connectors = useCall('listConnectors').data?.data ?? []
  const isNumbered = (numberedProviders as readonly string[]).includes(provider)
  const needsName = isNumbered && connectors.some(other => other.provider === provider && other.name === null)
  const campaigns = useCall('listCampaigns', { query: { limit: MOST_CAMPAIGNS } }).data?.data ?? []
  const navigate = useNavigate()
  const path = usePath()
  const create = useChange('createConnector', {
    isQuiet: true,
    done: labels.done,
    onDone: ({ id }) => void navigate({ to: path(`billing/${id}`) }),
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.connect}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          create.mutate({
            body: {
              provider,
              base,
              takes_tests: takesTests,
              ...(needsName && { name: name.trim() }),
              ...(campaignId !== null && { campaign_id: Number(campaignId) }),
            },
          })
        }}
      >
        <Stack>
          {create.error && (
            <Alert color="red" role="alert" variant="light">
              {create.error.message}
            </Alert>
          )}
          <Select
            label={labels.provider}
            data={connectorProviders.map(value => ({ value, label: texts.providers[value].name }))}
            value={provider}
            onChange={value => setProvider((value ?? provider) as ConnectorProvider)}
            allowDeselect={false}
            data-autofocus
          />
          {needsName && (
            <TextInput
              label={labels.name}
              description={labels.nameHint}
              value={name}
              onChange={event => setName(event.currentTarget.value)}
              maxLength={32}
              required
            />
          )}
          <Select
            label={labels.campaign}
            description={labels.campaignHint}
            placeholder={labels.anyCampaign}
            data={campaigns.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={campaignId}
            onChange={setCampaignId}
            clearable
          />
          <Radio.Group
            label={labels.base}
            value={base}
            onChange={value => setBase(value === 'gross' ? 'gross' : 'net')}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="net" label={labels.net} />
              <Radio value="gross" label={labels.gross} />
            </Stack>
          </Radio.Group>
          <Switch
            label={labels.tests}
            description={labels.testsHint}
            checked={takesTests}
            onChange={event => setTakesTests(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {texts.connect}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
