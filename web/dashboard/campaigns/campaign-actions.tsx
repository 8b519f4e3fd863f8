import { ActionIcon, Button, Menu, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate } from '@tanstack/react-router'
import type { CampaignStatus, CampaignSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { useChange, useMay } from '../shared/account.tsx'
import { ConfirmDialog } from '../shared/confirm-dialog.tsx'
import { texts as shared } from '../shared/en.ts'
import { MoreIcon } from '../shared/icons.tsx'
import { texts } from './en.ts'

const { actions: labels } = texts

/** What can be done with a campaign: in its row as an icon, on its page as a button. */
export function CampaignActions({
  campaign,
  isIcon = false,
}: {
  campaign: CampaignSummary
  isIcon?: boolean
}) {
  const mayChange = useMay('programme')
  const [asked, setAsked] = useState<'paused' | 'archived' | null>(null)
  const set = useChange('setCampaignStatus')
  const change = (status: CampaignStatus) =>
    set.mutate(
      { id: campaign.id, body: { status } },
      {
        onSuccess: () => notifications.show({ message: labels.done[campaign.status][status], color: 'teal' }),
      },
    )
  const navigate = useNavigate({ from: '/$account' })
  const duplicate = () => void navigate({ to: '/$account/campaigns/new', search: { copy: campaign.id } })
  const link = campaign.join_link
  if (!mayChange && !link) return null
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          {isIcon ? (
            <ActionIcon variant="subtle" color="gray" aria-label={labels.of(campaign.name)}>
              <MoreIcon />
            </ActionIcon>
          ) : (
            <Button variant="default" loading={set.isPending}>
              {labels.title}
            </Button>
          )}
        </Menu.Target>
        <Menu.Dropdown>
          {link ? (
            <Menu.Item onClick={() => void copyLink(link)}>{texts.page.copyJoinLink}</Menu.Item>
          ) : (
            <Menu.Item disabled maw={280}>
              {texts.page.copyJoinLink}
              <Text size="xs">
                {campaign.status === 'active' ? labels.noLink : labels.noLinkNow[campaign.status]}
              </Text>
            </Menu.Item>
          )}
          {mayChange && (
            <>
              <Menu.Item onClick={duplicate}>{labels.duplicate}</Menu.Item>
              <Menu.Divider />
              {campaign.status === 'active' && (
                <Menu.Item onClick={() => setAsked('paused')}>{labels.pause}</Menu.Item>
              )}
              {campaign.status === 'paused' && (
                <Menu.Item onClick={() => change('active')}>{labels.resume}</Menu.Item>
              )}
              {campaign.status === 'archived' ? (
                <Menu.Item onClick={() => change('paused')}>{labels.restore}</Menu.Item>
              ) : (
                <Menu.Item onClick={() => setAsked('archived')}>{labels.archive}</Menu.Item>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {asked && (
        <ConfirmDialog
          title={labels.ask[asked](campaign.name)}
          confirm={asked === 'paused' ? labels.pause : labels.archive}
          colour={asked === 'archived' ? 'red' : undefined}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            change(asked)
            setAsked(null)
          }}
        >
          {labels.consequences[asked].map(sentence => (
            <Text key={sentence} size="sm">
              {sentence}
            </Text>
          ))}
        </ConfirmDialog>
      )}
    </>
  )
}

async function copyLink(link: string) {
  try {
    await navigator.clipboard.writeText(link)
    notifications.show({ message: labels.linkCopied, color: 'teal' })
  } catch {
    // Browsers refuse the clipboard on plain http: the link is shown instead, to be selected.
    notifications.show({ title: shared.states.failed, message: labels.copyByHand(link), autoClose: false })
  }
}
