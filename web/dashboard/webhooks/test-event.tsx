import { ActionIcon, Alert, Button, Group, Loader, Menu, Modal, Stack, Text } from '@mantine/core'
import type { EventKind } from '@tributary/contract'
import type { DeliveryDetail, WebhookEndpointSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { When } from '../shared/facts.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { attemptWords, eventKinds, stageSentence } from './event-words.ts'
import { useDelivery } from './use-delivery.ts'

/** Sends a sample, of the first kind that the endpoint subscribes to or of another, and shows what became of it. */
export function TestEvent({ endpoint }: { endpoint: WebhookEndpointSummary }) {
  const [deliveryId, setDeliveryId] = useState<number | null>(null)
  const send = useChange('sendTestEvent', { onDone: sent => setDeliveryId(sent.delivery_id) })
  const sendKind = (kind?: EventKind) => send.mutate({ id: endpoint.id, body: kind ? { kind } : {} })
  return (
    <>
      <Group gap={0} wrap="nowrap">
        <Button
          size="xs"
          variant="light"
          loading={send.isPending}
          onClick={() => sendKind()}
          style={{ borderTopRightRadius: 0, borderBottomRightRadius: 0 }}
        >
          Send test event
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              variant="light"
              h={30}
              w={26}
              aria-label={`Choose what to send to endpoint ${endpoint.id}`}
              style={{ borderTopLeftRadius: 0, borderBottomLeftRadius: 0, marginLeft: 1 }}
            >
              ▾
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>A sample of</Menu.Label>
            {eventKinds.map(kind => (
              <Menu.Item key={kind} onClick={() => sendKind(kind)}>
                {kind}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      {deliveryId !== null && <TestOutcome id={deliveryId} onClose={() => setDeliveryId(null)} />}
    </>
  )
}

function TestOutcome({ id, onClose }: { id: number; onClose: () => void }) {
  const delivery = useDelivery(id, 500)
  return (
    <Modal
      opened
      onClose={onClose}
      title="The test event"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack role="status" aria-live="polite">
        {delivery.isError && <ErrorNotice error={delivery.error} retry={() => void delivery.refetch()} />}
        {delivery.isPending && <Loader size="sm" aria-label="Loading" />}
        {delivery.data && <Outcome delivery={delivery.data} />}
        <Group justify="space-between">
          <PageLink to={`webhooks/deliveries/${id}`}>Everything about this delivery</PageLink>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Outcome({ delivery }: { delivery: DeliveryDetail }) {
  const last = delivery.attempts.at(-1)
  if (!last)
    return (
      <Group gap="sm">
        {delivery.status === 'pending' && <Loader size="sm" aria-hidden />}
        <Text>
          {delivery.status === 'pending'
            ? `${delivery.event_kind} is on its way to ${delivery.url}`
            : 'It was canceled before it was sent: the endpoint is disabled or deleted.'}
        </Text>
      </Group>
    )
  const isDelivered = delivery.status === 'delivered'
  return (
    <>
      <Alert
        color={isDelivered ? 'teal' : 'red'}
        variant="light"
        title={isDelivered ? 'Delivered' : `Attempt ${last.number} failed`}
      >
        <Text size="sm">
          {delivery.event_kind} to {delivery.url}: {attemptWords(last)} after {last.duration_ms} ms
        </Text>
        {last.error_stage && <Text size="sm">{stageSentence(last.error_stage)}</Text>}
        {last.error && last.error_stage !== 'status' && <Text size="sm">{last.error}</Text>}
        {delivery.next_attempt_at && (
          <Text size="sm">
            It is tried again <When time={delivery.next_attempt_at} withTime />.
          </Text>
        )}
      </Alert>
      {last.response_body && (
        <SourceText text={last.response_body} label="answer" tools={<Text size="sm">It answered:</Text>} />
      )}
    </>
  )
}
