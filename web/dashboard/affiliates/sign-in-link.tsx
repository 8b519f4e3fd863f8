import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { useEffect, useRef } from 'react'
import { useChange } from '../shared/account.tsx'
import { texts as shared } from '../shared/en.ts'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { ShownOnce } from '../shared/shown-once.tsx'
import { ErrorNotice } from '../shared/states.tsx'
import { texts } from './en.ts'

const { contact: labels } = texts

/** Creates a sign-in link, copies it where the browser allows it, and shows it. */
export function SignInLink({ affiliate, onClose }: { affiliate: AffiliateDetail; onClose: () => void }) {
  useReturnsFocus()
  const create = useChange('createSignInLink', {
    isQuiet: true,
    // Some browsers copy only directly after a click; the dialog has a button for them.
    onDone: ({ url }) => void navigator.clipboard?.writeText(url).catch(() => undefined),
  })
  const isRequested = useRef(false)
  const { mutate } = create
  useEffect(() => {
    // Each request creates a link and an audit entry, and effects may run twice.
    if (isRequested.current) return
    isRequested.current = true
    mutate({ id: affiliate.id })
  }, [mutate, affiliate.id])
  return (
    <Modal
      opened
      onClose={onClose}
      title={labels.linkTitle(affiliate.name ?? affiliate.email)}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      {create.data ? (
        <ShownOnce value={create.data.url} name={labels.linkName} onClose={onClose}>
          <Text size="sm">{labels.linkNote(Math.round(create.data.expires_in / 3600))}</Text>
        </ShownOnce>
      ) : (
        <Stack>
          {create.error ? (
            <ErrorNotice error={create.error} retry={() => mutate({ id: affiliate.id })} />
          ) : (
            <Skeleton height={120} role="status" aria-label={shared.states.loading} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.actions.cancel}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
