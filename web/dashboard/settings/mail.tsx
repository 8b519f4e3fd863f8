import { Alert, Anchor, Modal, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import type { MailSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { words } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { useCall } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { SourceText } from '../shared/source-text.tsx'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { exactTime } from '../shared/time.ts'
import { MailSwitches } from './mail-switches.tsx'
import { SettingsSection } from './settings-section.tsx'

const columns = (open: (mail: MailSummary) => void): Column<MailSummary>[] => [
  {
    title: 'Subject',
    cell: mail => (
      <>
        <Anchor component="button" type="button" ta="left" inherit onClick={() => open(mail)}>
          {mail.subject}
        </Anchor>
        <Text size="xs" c="dimmed">
          {words(mail.kind)}
        </Text>
      </>
    ),
  },
  { title: 'To', cell: mail => <span style={{ overflowWrap: 'anywhere' }}>{mail.to_address}</span> },
  {
    title: 'Status',
    cell: mail => (
      <>
        <Status value={mail.status} />
        {mail.problem && (
          <Text size="xs" c="red" mt={4} maw={280}>
            {mail.problem}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Written', cell: mail => <When time={mail.created_at} withTime />, sorts: true },
]

export function MailSettings() {
  const account = useCall('getAccount')
  const [opened, setOpened] = useState<MailSummary | null>(null)
  return (
    <SettingsSection
      title="Mail"
      note="What affiliates are told by mail, and what became of it."
      action={<ExportLink route="exportMails" />}
    >
      <Stack>
        {account.data &&
          (account.data.mail_from ? (
            <Alert color="teal" variant="light" title="Mails are sent">
              They come from {account.data.mail_from}.
            </Alert>
          ) : (
            <Alert color="yellow" variant="light" title="No mail server is set">
              Mails are kept here to be read, and nobody receives them. Whoever runs the service sets{' '}
              <code>TRIBUTARY_SMTP_URL</code> and <code>TRIBUTARY_MAIL_FROM</code> and starts it again.
            </Alert>
          ))}
        <MailSwitches />
        <DataTable
          route="listMails"
          label="Mails"
          columns={columns(setOpened)}
          onRow={setOpened}
          empty={
            <EmptyState title="No mail yet">
              Mails to affiliates appear here. Those about somebody’s own sign-in are for them alone.
            </EmptyState>
          }
        />
      </Stack>
      {opened && <MailDialog mail={opened} onClose={() => setOpened(null)} />}
    </SettingsSection>
  )
}

function MailDialog({ mail, onClose }: { mail: MailSummary; onClose: () => void }) {
  const content = useCall('getMail', { id: mail.id })
  const [form, setForm] = useState('html')
  return (
    <Modal
      opened
      onClose={onClose}
      title={mail.subject}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">
          To {mail.to_address}, {mail.sent_at ? `sent ${exactTime(mail.sent_at)}` : words(mail.status)}
        </Text>
        {content.isPending && <Skeleton height={320} aria-label="Loading" />}
        {content.isError && <ErrorNotice error={content.error} retry={() => void content.refetch()} />}
        {content.data && (
          <>
            <SegmentedControl
              value={form}
              onChange={setForm}
              data={[
                { value: 'html', label: 'As it looks' },
                { value: 'text', label: 'Text' },
              ]}
              aria-label="How to show the mail"
            />
            {form === 'html' ? (
              // Locked in: no scripts, no forms, no way out of the frame.
              <iframe
                title={`The mail ${mail.subject}`}
                srcDoc={content.data.html_body}
                sandbox=""
                style={{ width: '100%', height: 420, border: 0, borderRadius: 8, background: '#fff' }}
              />
            ) : (
              <SourceText text={content.data.text_body} label="mail" />
            )}
          </>
        )}
      </Stack>
    </Modal>
  )
}
