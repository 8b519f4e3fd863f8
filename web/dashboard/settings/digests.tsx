import { Button, Group, Modal, Paper, Skeleton, Stack, Switch, Title } from '@mantine/core'
import type { DigestKind } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { EmailContent } from './email-content.tsx'
import { texts } from './en.ts'

const { digests: labels } = texts
const kinds = ['team', 'affiliate'] as const

/** The weekly and the monthly digest. Each switch saves immediately. */
export function Digests() {
  const digests = useCall('getDigests')
  const mayChange = useMay('settings')
  const save = useChange('switchDigest')
  const [previewed, setPreviewed] = useState<DigestKind | null>(null)
  if (!digests.data) return null
  const isOn = digests.data
  return (
    <Paper withBorder p="md" maw={620}>
      <Title order={3} size="h5" mb="sm">
        {labels.title}
      </Title>
      <Stack gap="sm">
        {kinds.map(kind => (
          <Group key={kind} justify="space-between" align="flex-start" wrap="nowrap">
            <Switch
              label={labels.kinds[kind].label}
              description={labels.kinds[kind].note}
              checked={isOn[kind]}
              disabled={!mayChange || save.isPending}
              onChange={event => save.mutate({ body: { kind, is_on: event.currentTarget.checked } })}
            />
            <Button
              size="xs"
              variant="default"
              flex="none"
              aria-label={labels.previewOf(labels.kinds[kind].label)}
              onClick={() => setPreviewed(kind)}
            >
              {labels.preview}
            </Button>
          </Group>
        ))}
      </Stack>
      {previewed && <Preview kind={previewed} onClose={() => setPreviewed(null)} />}
    </Paper>
  )
}

function Preview({ kind, onClose }: { kind: DigestKind; onClose: () => void }) {
  const preview = useCall('previewDigest', { query: { kind } })
  return (
    <Modal
      opened
      onClose={onClose}
      title={preview.data?.subject ?? labels.kinds[kind].label}
      size="xl"
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <Stack gap="sm">
        {preview.isPending && <Skeleton height={320} role="status" aria-label={shared.states.loading} />}
        {preview.isError && <ErrorNotice error={preview.error} retry={() => void preview.refetch()} />}
        {preview.data && <EmailContent {...preview.data} />}
      </Stack>
    </Modal>
  )
}
