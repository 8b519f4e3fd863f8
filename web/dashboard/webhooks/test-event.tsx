import { ActionIcon, Alert, Button, Group, Loader, Menu, Modal, Stack, Text } from '@mantine/core'
import type { EventKind } from '@tributary/contract'
import type { DeliveryDetail, WebhookEndpointSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { PageLink } from '../shared/named-links.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { relativeTime } from '../shared/time.ts'
import { texts } from './en.ts'
import { attemptText, durationText, eventKinds, failureText } from './event-text.ts'
import { useDelivery } from './use-delivery.ts'

const { test: labels } = texts

/** Sends a sample event, by default of the first subscribed type, and shows its outcome. */
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
          {labels.send}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              variant="light"
              h={30}
              w={26}
              aria-label={labels.chooseType(endpoint.id)}
              style={{ borderTopLeftRadius: 0, borderBottomLeftRadius: 0, marginLeft: 1 }}
            >
              ▾
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{labels.types}</Menu.Label>
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
      title={labels.title}
      size="lg"
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <Stack role="status" aria-live="polite">
        {delivery.isError && <ErrorNotice error={delivery.error} retry={() => void delivery.refetch()} />}
        {delivery.isPending && <Loader size="sm" role="status" aria-label={shared.states.loading} />}
        {delivery.data && <Outcome delivery={delivery.data} />}
        <Group justify="space-between">
          <PageLink to={`webhooks/deliveries/${id}`}>{labels.viewDelivery}</PageLink>
          <Button variant="default" onClick={onClose}>
            {shared.actions.close}
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
            ? labels.sending(delivery.event_kind, delivery.url)
            : labels.canceled}
        </Text>
      </Group>
    )
  const isDelivered = delivery.status === 'delivered'
  return (
    <>
      <Alert
        color={isDelivered ? 'teal' : 'red'}
        variant="light"
        title={isDelivered ? texts.deliveryStatuses.delivered : labels.failed(last.number)}
      >
        <Text size="sm">
          {labels.outcome(
            delivery.event_kind,
            delivery.url,
            attemptText(last),
            durationText(last.duration_ms),
          )}
        </Text>
        {last.error_stage && <Text size="sm">{failureText(last.error_stage)}</Text>}
        {last.error && last.error_stage !== 'status' && <Text size="sm">{last.error}</Text>}
        {delivery.next_attempt_at && (
          <Text size="sm">{labels.retry(relativeTime(delivery.next_attempt_at))}</Text>
        )}
      </Alert>
      {last.response_body && (
        <SourceText
          text={last.response_body}
          label={labels.responseName}
          tools={<Text size="sm">{labels.response}</Text>}
        />
      )}
    </>
  )
}
