import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ConnectorMapping, MappingTrial } from '@tributary/contract/dashboard'
import { LONGEST_SAMPLE } from '@tributary/contract/dashboard/connector-providers'
import { useState } from 'react'
import { useCall, useChange } from '../shared/account.tsx'
import { Section } from '../shared/section.tsx'
import { texts } from './en.ts'
import { draftOf, type MappingDraft, mappingFrom } from './mapping.ts'
import { MappingInputs } from './mapping-inputs.tsx'
import { Sample, TrialResult } from './mapping-trial.tsx'

const { mapping: labels } = texts
const TYPING_MS = 300

/** What the draft makes of the sample, a moment after typing stops. */
function useTrial(id: number, draft: MappingDraft, sample: string) {
  const [settled] = useDebouncedValue({ draft, sample }, TYPING_MS)
  const isTried = settled.sample.trim() !== '' && settled.sample.length <= LONGEST_SAMPLE
  const body = { mapping: mappingFrom(settled.draft), sample: settled.sample, dry_run: true }
  const { data, error } = useCall(
    'setConnectorMapping',
    { id, body },
    { enabled: isTried, keepsPrevious: true },
  )
  const trial: MappingTrial | null = (isTried && data?.trial) || null
  return { trial, error: isTried ? error : null }
}

/** Where the fields of another system's events are, tried on a sample while it is written. */
export function MappingSection({ id, mapping }: { id: number; mapping: ConnectorMapping }) {
  const [draft, setDraft] = useState(() => draftOf(mapping))
  const [sample, setSample] = useState('')
  const { trial, error } = useTrial(id, draft, sample)
  const save = useChange('setConnectorMapping', { isQuiet: true, done: labels.saved })
  const failure = save.error ?? error
  return (
    <Section title={labels.title}>
      <Text size="sm" c="dimmed" mb="md">
        {labels.note}
      </Text>
      <form
        autoComplete="off"
        onSubmit={event => {
          event.preventDefault()
          save.mutate({ id, body: { mapping: mappingFrom(draft) } })
        }}
      >
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
          <MappingInputs draft={draft} onChange={setDraft} trial={trial} />
          <Stack>
            <Sample value={sample} onChange={setSample} />
            {trial && <TrialResult trial={trial} />}
          </Stack>
        </SimpleGrid>
        {failure && (
          <Alert color="red" role="alert" variant="light" mt="md">
            {failure.message}
          </Alert>
        )}
        <Group mt="md">
          <Button type="submit" loading={save.isPending}>
            {labels.save}
          </Button>
        </Group>
      </form>
    </Section>
  )
}
