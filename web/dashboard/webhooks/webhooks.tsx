import { Button, Title } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../shared/account.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { PageHead } from '../shared/states.tsx'
import { AddEndpoint } from './add-endpoint.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { WebhookEndpoints } from './webhook-endpoints.tsx'

export function Webhooks() {
  const mayChange = useMay('settings')
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHead title="Webhooks" note="Your own programs, told of what happens here as it happens.">
        <ExportLink route="exportWebhookEndpoints" label="Export endpoints" />
        {mayChange && (
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
            Add endpoint
          </Button>
        )}
      </PageHead>
      {isAdding && <AddEndpoint onClose={() => setAdding(false)} />}
      <WebhookEndpoints />
      <Title order={2} size="h4" mt="xl" mb="sm">
        Deliveries
      </Title>
      <DeliveryLog />
    </>
  )
}
