import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../shared/account.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { PageHead } from '../shared/states.tsx'
import { AddEndpoint } from './add-endpoint.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { texts } from './en.ts'
import { WebhookEndpoints } from './webhook-endpoints.tsx'

export function Webhooks() {
  const mayChange = useMay('settings')
  const [isAdding, setAdding] = useState(false)
  const addButton = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
      {texts.addEndpoint}
    </Button>
  )
  return (
    <>
      <PageHead title={texts.title} note={texts.note}>
        <ExportLink route="exportWebhookEndpoints" label={texts.exportEndpoints} />
        {mayChange && addButton}
      </PageHead>
      {isAdding && <AddEndpoint onClose={() => setAdding(false)} />}
      <WebhookEndpoints addButton={addButton} />
      <DeliveryLog />
    </>
  )
}
