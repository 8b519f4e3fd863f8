import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useCall, useChange, useSessionInfo } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { fieldError } from '../shared/field-error.ts'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { texts } from './en.ts'
import { NoEmail } from './no-email.tsx'

const { contact: labels } = texts
const LONGEST_SUBJECT = 200
const LONGEST_TEXT = 10_000

/** Writes an email to the affiliate. */
export function MessageAffiliate({
  affiliate,
  onClose,
}: {
  affiliate: AffiliateDetail
  onClose: () => void
}) {
  useReturnsFocus()
  const { user } = useSessionInfo()
  const [subject, setSubject] = useState('')
  const [text, setText] = useState('')
  const isOff = useCall('getAccount').data?.mail_from === null
  const send = useChange('messageAffiliate', {
    isQuiet: true,
    done: ({ to }) => labels.messageSent(to),
    onDone: onClose,
  })
  const isEmpty = subject.trim() === '' || text.trim() === ''
  return (
    <Modal
      opened
      onClose={onClose}
      title={labels.messageTitle(affiliate.name ?? affiliate.email)}
      size="lg"
      // A click outside must not lose what was written.
      closeOnClickOutside={isEmpty}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          send.mutate({ id: affiliate.id, body: { subject: subject.trim(), text: text.trim() } })
        }}
      >
        <Stack gap="sm">
          {isOff ? (
            <NoEmail instead={labels.writeInstead(affiliate.email)} />
          ) : (
            <Text size="sm" c="dimmed">
              {labels.messageNote(affiliate.email, user.email)}
            </Text>
          )}
          {send.error && (
            <Alert color="red" role="alert" variant="light">
              {send.error.message}
            </Alert>
          )}
          <TextInput
            label={labels.subject}
            value={subject}
            onChange={event => setSubject(event.currentTarget.value)}
            maxLength={LONGEST_SUBJECT}
            error={fieldError(send.error, 'subject')}
            disabled={isOff}
            required
            data-autofocus
          />
          <Textarea
            label={labels.text}
            value={text}
            onChange={event => setText(event.currentTarget.value)}
            maxLength={LONGEST_TEXT}
            error={fieldError(send.error, 'text')}
            disabled={isOff}
            required
            autosize
            minRows={6}
            maxRows={16}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
            <Button type="submit" loading={send.isPending} disabled={isOff || isEmpty}>
              {labels.sendMessage}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
