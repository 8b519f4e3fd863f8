import { Button, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core'
import type { AffiliateNote } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useMay } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { When } from '../shared/facts.tsx'
import { fieldError } from '../shared/field-error.ts'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'

const { notes: labels } = texts
const LONGEST_NOTE = 5000
const MOST_NOTES = 200

/** Internal notes, newest first. */
export function AffiliateNotes({ affiliateId }: { affiliateId: number }) {
  const notes = useCall('listNotes', { id: affiliateId, query: { limit: MOST_NOTES } })
  const [deleted, setDeleted] = useState<AffiliateNote | null>(null)
  const remove = useChange('deleteNote', { done: labels.deleted })
  const mayWrite = useMay('programme')
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {labels.note}
      </Text>
      {mayWrite && <AddNote affiliateId={affiliateId} />}
      {notes.isPending && <Skeleton height={60} role="status" aria-label={shared.states.loading} />}
      {notes.isError && <ErrorNotice error={notes.error} retry={() => void notes.refetch()} />}
      {notes.data?.data.length === 0 && !mayWrite && <Text size="sm">{labels.none}</Text>}
      {notes.data && notes.data.data.length > 0 && (
        <Stack gap="md" component="ul" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {notes.data.data.map(note => (
            <li key={note.id}>
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {note.text}
              </Text>
              <Group gap="xs" mt={2}>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {note.author} · <When time={note.created_at} withTime />
                </Text>
                {mayWrite && (
                  <Button
                    variant="subtle"
                    color="gray"
                    size="compact-xs"
                    aria-label={labels.deleteOf(note.author)}
                    onClick={() => setDeleted(note)}
                  >
                    {labels.delete}
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </Stack>
      )}
      {notes.data && notes.data.next !== null && (
        <Text size="xs" c="dimmed">
          {labels.more(MOST_NOTES)}
        </Text>
      )}
      {deleted && (
        <ConfirmDialog
          title={labels.deleteTitle}
          confirm={labels.deleteNote}
          colour="red"
          onClose={() => setDeleted(null)}
          onConfirm={() => {
            remove.mutate({ id: affiliateId, body: { note_id: deleted.id } })
            setDeleted(null)
          }}
        >
          <Text size="sm">{labels.deleteText}</Text>
        </ConfirmDialog>
      )}
    </Stack>
  )
}

function AddNote({ affiliateId }: { affiliateId: number }) {
  const [text, setText] = useState('')
  const add = useChange('addNote', { done: labels.added, onDone: () => setText('') })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        add.mutate({ id: affiliateId, body: { text: text.trim() } })
      }}
    >
      <Stack gap="xs" align="flex-start">
        <Textarea
          aria-label={labels.label}
          placeholder={labels.placeholder}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
          maxLength={LONGEST_NOTE}
          error={fieldError(add.error, 'text')}
          autosize
          minRows={2}
          maxRows={10}
          w="100%"
        />
        <Button type="submit" variant="default" loading={add.isPending} disabled={text.trim() === ''}>
          {labels.add}
        </Button>
      </Stack>
    </form>
  )
}
