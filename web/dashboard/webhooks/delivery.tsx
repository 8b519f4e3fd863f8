import { Badge, Button, Grid, Group, Paper, SegmentedControl, Skeleton, Text, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { DeliveryDetail } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useChange, useMay, usePath } from '../shared/account.tsx'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { TextLink } from '../shared/links.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { DeliveryAttempts } from './delivery-attempts.tsx'
import { formatted } from './event-words.ts'
import { useDelivery } from './use-delivery.ts'

export function DeliveryPage() {
  const { id } = useParams({ strict: false })
  // Anew for another one: whether it is still open is remembered within.
  return <Delivery key={id} id={Number(id)} />
}

function Delivery({ id }: { id: number }) {
  const delivery = useDelivery(id, 2000)
  if (delivery.isPending)
    return (
      <>
        <PageHead title={`Delivery ${id}`} />
        <Skeleton height={320} aria-label="Loading" />
      </>
    )
  if (delivery.isError)
    return (
      <>
        <PageHead title="Delivery" />
        <ErrorNotice error={delivery.error} retry={() => void delivery.refetch()} />
      </>
    )
  return <DeliveryShown delivery={delivery.data} />
}

function DeliveryShown({ delivery }: { delivery: DeliveryDetail }) {
  const { id, status, event_kind, is_test, attempts, endpoint_status } = delivery
  const mayChange = useMay('settings')
  const path = usePath()
  const navigate = useNavigate()
  const redeliver = useChange('redeliver', {
    done: 'It is on its way once more.',
    onDone: ({ delivery_id }) => void navigate({ to: path(`webhooks/deliveries/${delivery_id}`) }),
  })
  return (
    <>
      <PageHead
        title={`Delivery ${id}`}
        note={
          <Group gap="xs" component="span">
            <Status value={status} />
            <span>{event_kind}</span>
            {is_test && (
              <Badge variant="outline" color="gray" tt="none">
                Test
              </Badge>
            )}
          </Group>
        }
      >
        <Button variant="default" onClick={() => void navigate({ to: path('webhooks') })}>
          All deliveries
        </Button>
        {mayChange && endpoint_status === 'active' && (
          <Button loading={redeliver.isPending} onClick={() => redeliver.mutate({ id })}>
            Redeliver
          </Button>
        )}
      </PageHead>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="md">
            <Title order={2} size="h5" mb="sm">
              At a glance
            </Title>
            <DeliveryFacts delivery={delivery} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="md">
            <Title order={2} size="h5" mb="sm">
              Request body
            </Title>
            <RequestBody body={delivery.body} />
          </Paper>
        </Grid.Col>
      </Grid>
      <Title order={2} size="h4" mt="lg" mb="sm">
        Attempts
      </Title>
      {attempts.length > 0 ? (
        <DeliveryAttempts attempts={attempts} />
      ) : (
        <Text c="dimmed">
          {status === 'pending' ? 'It is on its way.' : 'It was canceled before it was sent.'}
        </Text>
      )}
    </>
  )
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const { url, endpoint_id, endpoint_status, event_id, status, attempts, next_attempt_at, created_at } =
    delivery
  const waits = status === 'pending' && attempts.length > 0
  return (
    <FactList
      facts={[
        [
          'Sent to',
          <Copy key="url" value={url} label="Copy the address">
            <span style={{ overflowWrap: 'anywhere' }}>{url}</span>
          </Copy>,
        ],
        [
          'Endpoint',
          <Group key="endpoint" gap="xs" component="span">
            <TextLink to="/$account/webhooks" search={{ endpoint_id }} inherit>
              {endpoint_id}
            </TextLink>
            {endpoint_status !== 'active' && <Status value={endpoint_status} />}
          </Group>,
        ],
        [
          'Event',
          <TextLink key="event" to="/$account/webhooks" search={{ event_id }} inherit>
            {event_id}, all its deliveries
          </TextLink>,
        ],
        ['Created', <When key="created" time={created_at} withTime />],
        ['Attempts', String(attempts.length)],
        ...(waits
          ? [['Next attempt', <When key="next" time={next_attempt_at} withTime />] as [string, ReactNode]]
          : []),
      ]}
    />
  )
}

/** The bytes that were signed, or the same for people to read. */
function RequestBody({ body }: { body: string }) {
  const [form, setForm] = useState('sent')
  return (
    <SourceText
      text={form === 'sent' ? body : formatted(body)}
      label="request body"
      tools={
        <SegmentedControl
          size="xs"
          value={form}
          onChange={setForm}
          data={[
            { value: 'sent', label: 'As sent' },
            { value: 'formatted', label: 'Formatted' },
          ]}
          aria-label="How to show the body"
        />
      }
    />
  )
}
