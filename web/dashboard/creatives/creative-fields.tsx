import { Textarea, TextInput } from '@mantine/core'
import type { Creative } from '@tributary/contract/dashboard'
import { texts } from './en.ts'

interface Field {
  value: string
  onChange: (value: string) => void
}

export const NameField = ({ kind, value, onChange }: Field & { kind: Creative['kind'] }) => (
  <TextInput
    label={texts.name}
    description={texts.nameHints[kind]}
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
    maxLength={100}
    required
  />
)

export const TextField = ({ value, onChange }: Field) => (
  <Textarea
    label={texts.text}
    description={texts.textHint}
    placeholder={texts.textExample}
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
    autosize
    minRows={3}
    maxRows={10}
    maxLength={5000}
    required
    error={value.trim() !== '' && !value.includes('{link}') ? texts.noLink : undefined}
  />
)
