import { Alert, Button, FileButton, Group, Modal, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import type { Creative } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { showError, useChange } from '../shared/account.tsx'
import { base64Of } from '../shared/base64-of.ts'
import { texts as shared } from '../shared/en.ts'
import { useCampaigns } from '../shared/list-filters.tsx'
import { NameField, TextField } from './creative-fields.tsx'
import { texts } from './en.ts'

type Kind = Creative['kind']

const accepted = {
  banner: 'image/png,image/jpeg,image/gif,image/webp',
  document: 'application/pdf,image/png,image/jpeg,image/gif,image/webp',
}

export function AddCreative({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('banner')
  const [name, setName] = useState('')
  const [campaign, setCampaign] = useState<string | null>(null)
  const [text, setText] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const campaigns = useCampaigns()
  const add = useChange('createCreative', { done: texts.added, onDone: onClose, isQuiet: true })
  const submit = async () => {
    const content = kind === 'text' ? { text } : { file: await base64Of(file as File) }
    add.mutate({
      body: { kind, name: name.trim(), campaign_id: campaign === null ? null : Number(campaign), ...content },
    })
  }
  const isComplete = name.trim() !== '' && (kind === 'text' ? text.trim() !== '' : file !== null)
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.add}
      size="lg"
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          submit().catch(showError)
        }}
      >
        <Stack>
          {add.error && (
            <Alert color="red" role="alert" variant="light">
              {add.error.message}
            </Alert>
          )}
          <SegmentedControl
            aria-label={texts.kind}
            value={kind}
            onChange={value => {
              setKind(value as Kind)
              setFile(null)
            }}
            data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
          />
          {kind === 'text' ? (
            <TextField value={text} onChange={setText} />
          ) : (
            <FileField kind={kind} file={file} onFile={setFile} />
          )}
          <NameField kind={kind} value={name} onChange={setName} />
          <Select
            label={texts.campaign}
            placeholder={texts.allCampaigns}
            data={campaigns.map(({ id, name: label }) => ({ value: String(id), label }))}
            value={campaign}
            onChange={setCampaign}
            clearable
            searchable
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" loading={add.isPending} disabled={!isComplete}>
              {texts.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function FileField({
  kind,
  file,
  onFile,
}: {
  kind: 'banner' | 'document'
  file: File | null
  onFile: (file: File | null) => void
}) {
  return (
    <Group gap="sm">
      <FileButton onChange={onFile} accept={accepted[kind]} inputProps={{ 'aria-label': texts.file }}>
        {props => (
          <Button {...props} variant="default">
            {texts.choose}
          </Button>
        )}
      </FileButton>
      <Text size="sm" c={file ? undefined : 'dimmed'} style={{ overflowWrap: 'anywhere' }}>
        {file ? `${file.name} (${texts.bytes(file.size)})` : texts.fileHints[kind]}
      </Text>
    </Group>
  )
}
