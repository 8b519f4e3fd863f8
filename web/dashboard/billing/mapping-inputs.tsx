import { Button, CloseButton, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { MappingTrial } from '@tributary/contract/dashboard'
import {
  type ConnectorEventKind,
  connectorEventKinds,
  LONGEST_PATH,
  type MappedField,
  MOST_EVENT_TYPES,
  mappedFields,
} from '@tributary/contract/dashboard/connector-providers'
import { PlusIcon } from '../shared/icons.tsx'
import { texts } from './en.ts'
import { type MappingDraft, withEvent } from './mapping.ts'

const { mapping: labels } = texts

interface Props {
  draft: MappingDraft
  onChange: (draft: MappingDraft) => void
  trial: MappingTrial | null
}

export function MappingInputs({ draft, onChange, trial }: Props) {
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        {mappedFields.map(field => (
          <PathInput
            key={field}
            field={field}
            path={draft.paths[field]}
            found={trial?.fields.find(tried => tried.field === field)}
            onChange={path => onChange({ ...draft, paths: { ...draft.paths, [field]: path } })}
          />
        ))}
      </SimpleGrid>
      <EventRows draft={draft} onChange={onChange} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={labels.amounts}
          data={[
            { value: 'decimal', label: labels.decimal },
            { value: 'minor', label: labels.minor },
          ]}
          value={draft.amounts}
          onChange={value => onChange({ ...draft, amounts: value === 'minor' ? 'minor' : 'decimal' })}
          allowDeselect={false}
        />
        <TextInput
          label={labels.signatureHeader}
          value={draft.signatureHeader}
          onChange={event => onChange({ ...draft, signatureHeader: event.currentTarget.value })}
          maxLength={64}
        />
      </SimpleGrid>
    </Stack>
  )
}

function PathInput({
  field,
  path,
  found,
  onChange,
}: {
  field: MappedField
  path: string
  found: MappingTrial['fields'][number] | undefined
  onChange: (path: string) => void
}) {
  // A sample of a sale has no refund: what a path does not find is a hint, not an error.
  const hint =
    path.trim() === '' ? undefined : (found?.problem ?? (found?.value && labels.found(found.value)))
  return (
    <TextInput
      label={labels.fields[field]}
      value={path}
      onChange={event => onChange(event.currentTarget.value)}
      maxLength={LONGEST_PATH}
      spellCheck={false}
      description={hint || undefined}
      inputWrapperOrder={['label', 'input', 'description']}
      styles={{ description: { overflowWrap: 'anywhere' } }}
    />
  )
}

function EventRows({ draft, onChange }: Omit<Props, 'trial'>) {
  const { events } = draft
  const change = (key: number, part: Partial<MappingDraft['events'][number]>) =>
    onChange({ ...draft, events: events.map(event => (event.key === key ? { ...event, ...part } : event)) })
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {labels.events}
      </Text>
      <Stack gap="xs">
        {events.map(({ key, type, kind }, place) => (
          <Group key={key} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={labels.eventType(place + 1)}
              value={type}
              onChange={event => change(key, { type: event.currentTarget.value })}
              maxLength={255}
              spellCheck={false}
              style={{ flex: 1, minWidth: 0 }}
            />
            <Select
              aria-label={labels.eventKind(place + 1)}
              data={connectorEventKinds.map(value => ({ value, label: labels.kinds[value] }))}
              value={kind}
              onChange={value => change(key, { kind: (value ?? kind) as ConnectorEventKind })}
              allowDeselect={false}
              style={{ flex: 1, minWidth: 0 }}
            />
            <CloseButton
              aria-label={labels.removeEvent(place + 1)}
              onClick={() => onChange({ ...draft, events: events.filter(event => event.key !== key) })}
            />
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={14} />}
            disabled={events.length >= MOST_EVENT_TYPES}
            onClick={() => onChange(withEvent(draft))}
          >
            {labels.addEvent}
          </Button>
        </Group>
      </Stack>
    </div>
  )
}
