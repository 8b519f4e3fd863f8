import { Badge, Button, Grid, Group, Paper, SegmentedControl, Skeleton, Text, Title } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { DeliveryDetail } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { Status } from '../../ui/values.tsx'
import { useChange, useMay, usePath } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { TextLink } from '../shared/links.tsx'
import { optionsOf } from '../shared/options.ts'
import { SourceText } from '../shared/source-text.tsx'
import { ErrorNotice, PageHead } from '../shared/states.tsx'
import { DeliveryAttempts } from './delivery-attempts.tsx'
import { texts } from './en.ts'
import { formatted } from './event-text.ts'
import { useDelivery } from './use-delivery.ts'

const { delivery: labels } = texts

export function DeliveryPage() {
  const { id } = useParams({ strict: false })
  // The key resets the polling state for another delivery.
  return <Delivery key={id} id={Number(id)} />
}

function Delivery({ id }: { id: number }) {
  const delivery = useDelivery(id, 2000)
  if (delivery.isPending)
    return (
      <>
        <PageHead title={labels.numbered(id)} />
        <Skeleton height={320} role="status" aria-label={shared.states.loading} />
      </>
    )
  if (delivery.isError)
    return (
      <>
        <PageHead title={labels.title} />
        <ErrorNotice error={delivery.error} retry={() => void delivery.refetch()} />
      </>
    )
  return <DeliveryView delivery={delivery.data} />
}

function DeliveryView({ delivery }: { delivery: DeliveryDetail }) {
  const { id, status, event_kind, is_test, attempts, endpoint_status } = delivery
  const mayChange = useMay('settings')
  const path = usePath()
  const navigate = useNavigate()
  const redeliver = useChange('redeliver', {
    done: labels.redelivered,
    onDone: ({ delivery_id }) => void navigate({ to: path(`webhooks/deliveries/${delivery_id}`) }),
  })
  return (
    <>
      <PageHead
        title={labels.numbered(id)}
        note={
          <Group gap="xs" component="span">
            <Status value={status} />
            <span>{event_kind}</span>
            {is_test && (
              <Badge variant="outline" color="gray" tt="none">
                {shared.states.test}
              </Badge>
            )}
          </Group>
        }
      >
        <Button variant="default" onClick={() => void navigate({ to: path('webhooks') })}>
          {labels.all}
        </Button>
        {mayChange && endpoint_status === 'active' && (
          <Button loading={redeliver.isPending} onClick={() => redeliver.mutate({ id })}>
            {labels.redeliver}
          </Button>
        )}
      </PageHead>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="md">
            <Title order={2} size="h5" mb="sm">
              {labels.details}
            </Title>
            <DeliveryFacts delivery={delivery} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="md">
            <Title order={2} size="h5" mb="sm">
              {labels.requestBody}
            </Title>
            <RequestBody body={delivery.body} />
          </Paper>
        </Grid.Col>
      </Grid>
      <Title order={2} size="h4" mt="lg" mb="sm">
        {labels.attempts}
      </Title>
      {attempts.length > 0 ? (
        <DeliveryAttempts attempts={attempts} />
      ) : (
        <Text c="dimmed">{status === 'pending' ? labels.sending : labels.canceled}</Text>
      )}
    </>
  )
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const { url, endpoint_id, endpoint_status, event_id, status, attempts, next_attempt_at, created_at } =
    delivery
  const isRetrying = status === 'pending' && attempts.length > 0
  return (
    <FactList
      facts={[
        [
          labels.url,
          <Copy key="url" value={url} label={texts.copyUrl}>
            <Breakable>{url}</Breakable>
          </Copy>,
        ],
        [
          labels.endpoint,
          <Group key="endpoint" gap="xs" component="span">
            <TextLink to="/$account/webhooks" search={{ endpoint_id }} inherit>
              {endpoint_id}
            </TextLink>
            {endpoint_status !== 'active' && <Status value={endpoint_status} />}
          </Group>,
        ],
        [
          labels.event,
          <TextLink key="event" to="/$account/webhooks" search={{ event_id }} inherit>
            {labels.allOfEvent(event_id)}
          </TextLink>,
        ],
        [labels.created, <When key="created" time={created_at} withTime />],
        [labels.attempts, String(attempts.length)],
        ...(isRetrying
          ? [[labels.nextAttempt, <When key="next" time={next_attempt_at} withTime />] as [string, ReactNode]]
          : []),
      ]}
    />
  )
}

/** The signed bytes, or the same body formatted. */
function RequestBody({ body }: { body: string }) {
  const [format, setFormat] = useState('sent')
  return (
    <SourceText
      text={format === 'sent' ? body : formatted(body)}
      label={labels.bodyName}
      tools={
        <SegmentedControl
          size="xs"
          value={format}
          onChange={setFormat}
          data={optionsOf(labels.bodyFormats)}
          aria-label={labels.bodyFormat}
        />
      }
    />
  )
}
