import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall, useChange } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { texts } from './en.ts'

const labels = texts.codes.assign

/** Gives a code that was made at the provider to an affiliate. */
export function AssignCode({ id, onClose }: { id: number; onClose: () => void }) {
  const [code, setCode] = useState<string | null>(null)
  const [affiliate, setAffiliate] = useState<number>()
  const codes = useCall('listProviderCodes', { id })
  const assign = useChange('assignConnectorCode', {
    isQuiet: true,
    done: result => labels.done(result.code),
    onDone: onClose,
  })
  const free = (codes.data?.data ?? []).filter(({ affiliate_id }) => affiliate_id === null)
  const error = codes.error ?? assign.error
  return (
    <Modal opened title={labels.title} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (code !== null && affiliate !== undefined)
            assign.mutate({ id, body: { code_id: code, affiliate_id: affiliate } })
        }}
      >
        <Stack>
          <Text size="sm">{labels.note}</Text>
          {error && (
            <Alert color="red" role="alert" variant="light">
              {error.message}
            </Alert>
          )}
          <Select
            label={labels.code}
            data={free.map(each => ({ value: each.id, label: each.code }))}
            value={code}
            onChange={setCode}
            nothingFoundMessage={codes.isPending ? shared.states.loading : labels.none}
            searchable
            required
          />
          <AffiliatePicker value={affiliate} onChange={setAffiliate} required />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button
              type="submit"
              loading={assign.isPending}
              disabled={code === null || affiliate === undefined}
            >
              {labels.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
