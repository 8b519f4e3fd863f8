import { Button, Group, Text } from '@mantine/core'
import type { AffiliateDetail } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange, useMay } from '../shared/account.tsx'
import { texts } from './en.ts'
import { InviteAffiliate } from './invite-affiliate.tsx'
import { MessageAffiliate } from './message-affiliate.tsx'
import { SignInLink } from './sign-in-link.tsx'

const { contact: labels } = texts

/** The affiliate's access to the portal, and email to them. */
export function AffiliateContact({ affiliate }: { affiliate: AffiliateDetail }) {
  const [opened, setOpened] = useState<'invite' | 'link' | 'message' | null>(null)
  const view = useChange('viewAsAffiliate', { onDone: ({ url }) => window.location.assign(url) })
  const close = () => setOpened(null)
  if (!useMay('programme'))
    return (
      <Text size="sm" c="dimmed">
        {labels.notAllowed}
      </Text>
    )
  const isRejected = affiliate.status === 'rejected'
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {isRejected ? labels.rejected : labels.note}
      </Text>
      <Group gap="xs">
        {!isRejected && (
          <>
            <Button variant="default" onClick={() => setOpened('invite')}>
              {labels.invite}
            </Button>
            <Button variant="default" onClick={() => setOpened('link')}>
              {labels.copyLink}
            </Button>
            <Button
              variant="default"
              loading={view.isPending}
              onClick={() => view.mutate({ id: affiliate.id })}
            >
              {labels.view}
            </Button>
          </>
        )}
        <Button variant="default" onClick={() => setOpened('message')}>
          {labels.message}
        </Button>
      </Group>
      {opened === 'invite' && (
        <InviteAffiliate affiliate={affiliate} onLink={() => setOpened('link')} onClose={close} />
      )}
      {opened === 'link' && <SignInLink affiliate={affiliate} onClose={close} />}
      {opened === 'message' && <MessageAffiliate affiliate={affiliate} onClose={close} />}
    </>
  )
}
