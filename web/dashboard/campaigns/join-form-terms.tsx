import { Anchor, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { TermsVersion } from '@tributary/contract/dashboard'
import { When } from '../shared/facts.tsx'
import { texts } from './en.ts'
import type { JoinFormFields } from './join-form-fields.ts'

const { joinForm: labels } = texts

export function JoinFormTerms({
  fields,
  onChange,
}: {
  fields: JoinFormFields
  onChange: (fields: JoinFormFields) => void
}) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label={labels.terms}
        description={labels.termsHint}
        value={fields.terms}
        onChange={terms => onChange({ ...fields, terms: terms as JoinFormFields['terms'] })}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(labels.termsKinds).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      {fields.terms === 'text' && (
        <Textarea
          label={labels.text}
          value={fields.text}
          maxLength={20_000}
          autosize
          minRows={4}
          maxRows={16}
          required
          onChange={event => onChange({ ...fields, text: event.currentTarget.value })}
        />
      )}
      {fields.terms === 'url' && (
        <TextInput
          label={labels.url}
          description={labels.urlHint}
          type="url"
          placeholder={labels.urlExample}
          value={fields.url}
          maxLength={2048}
          required
          onChange={event => onChange({ ...fields, url: event.currentTarget.value })}
        />
      )}
    </Stack>
  )
}

/** Earlier terms, which affiliates may have accepted. */
export function TermsHistory({ versions }: { versions: TermsVersion[] }) {
  if (versions.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={500}>
        {labels.history}
      </Text>
      {versions.map(({ version, text, url, created_at }) => (
        <details key={version}>
          <summary style={{ cursor: 'pointer', fontSize: 14 }}>
            {labels.version(version)} <When time={created_at} />
          </summary>
          {url !== null ? (
            <Anchor
              href={url}
              target="_blank"
              rel="noreferrer"
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
            >
              {url}
            </Anchor>
          ) : (
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {text ?? labels.removed}
            </Text>
          )}
        </details>
      ))}
    </div>
  )
}
