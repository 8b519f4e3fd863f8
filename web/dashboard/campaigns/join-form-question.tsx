import { Button, Group, Paper, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { optionsOf } from '../shared/options.ts'
import { texts } from './en.ts'
import type { QuestionFields } from './join-form-fields.ts'

const { joinForm: labels } = texts

/** One question of a join form. */
export function JoinFormQuestion({
  number,
  question,
  isLast,
  onChange,
  onMove,
  onRemove,
}: {
  number: number
  question: QuestionFields
  isLast: boolean
  onChange: (question: QuestionFields) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
}) {
  return (
    <Paper withBorder p="sm" component="fieldset" m={0} miw={0} aria-label={labels.question(number)}>
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <TextInput
            flex="1 1 260px"
            label={labels.label}
            placeholder={labels.labelExample}
            value={question.label}
            maxLength={200}
            required
            onChange={event => onChange({ ...question, label: event.currentTarget.value })}
          />
          <Select
            w={160}
            label={labels.kind}
            data={optionsOf(labels.kinds)}
            value={question.kind}
            allowDeselect={false}
            onChange={kind => onChange({ ...question, kind: kind as QuestionFields['kind'] })}
          />
        </Group>
        {question.kind === 'choice' && (
          <Textarea
            label={labels.choices}
            description={labels.choicesHint}
            value={question.choices}
            autosize
            minRows={2}
            maxRows={10}
            required
            onChange={event => onChange({ ...question, choices: event.currentTarget.value })}
          />
        )}
        <Group justify="space-between" gap="xs">
          <Switch
            label={labels.required}
            checked={question.is_required}
            onChange={event => onChange({ ...question, is_required: event.currentTarget.checked })}
          />
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              disabled={number === 1}
              aria-label={labels.upOf(number)}
              onClick={() => onMove(-1)}
            >
              {labels.up}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              disabled={isLast}
              aria-label={labels.downOf(number)}
              onClick={() => onMove(1)}
            >
              {labels.down}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              aria-label={labels.removeOf(number)}
              onClick={onRemove}
            >
              {labels.remove}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  )
}
