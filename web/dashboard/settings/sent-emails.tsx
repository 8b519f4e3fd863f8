import { Anchor, Group, Modal, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { MailSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { words } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { useCall } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ChoiceFilter, FilterBar, SearchFilter } from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, ErrorNotice } from '../shared/states.tsx'
import { exactTime } from '../shared/time.ts'
import { useFilters } from '../shared/use-filters.ts'
import { EmailContent } from './email-content.tsx'
import { texts } from './en.ts'

const { email: labels } = texts

const kindText = (kind: string) =>
  Object.entries(labels.kinds).find(([name]) => name === kind)?.[1].label ?? words(kind)

const columns = (open: (email: MailSummary) => void): Column<MailSummary>[] => [
  {
    title: labels.columns.subject,
    cell: email => (
      <>
        <Anchor component="button" type="button" ta="left" inherit onClick={() => open(email)}>
          {email.subject}
        </Anchor>
        <Text size="xs" c="dimmed">
          {kindText(email.kind)}
        </Text>
      </>
    ),
  },
  {
    title: labels.columns.to,
    cell: email => <Breakable>{email.to_address}</Breakable>,
  },
  {
    title: labels.columns.status,
    cell: email => (
      <>
        <Status value={email.status} label={labels.statuses[email.status]} />
        {email.problem && (
          <Text size="xs" c="red" mt={4} maw={280}>
            {email.problem}
          </Text>
        )}
      </>
    ),
  },
  { title: labels.columns.created, cell: email => <When time={email.created_at} withTime />, sorts: true },
]

const filterNames = ['q', 'status'] as const

/** Every email to an affiliate, with its status and content. */
export function SentEmails() {
  const { values, bind, used, clear } = useFilters('/$account/settings/$section')
  const [opened, setOpened] = useState<MailSummary | null>(null)
  const query = { q: values.q, status: values.status }
  return (
    <div>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={3} size="h5">
          {labels.list}
        </Title>
        <ExportLink route="exportMails" query={query} />
      </Group>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <SearchFilter {...bind('q')} hint={labels.searchHint} />
        <ChoiceFilter
          label={labels.columns.status}
          {...bind('status')}
          options={optionsOf(labels.statuses)}
        />
      </FilterBar>
      <DataTable
        route="listMails"
        label={labels.list}
        query={query}
        columns={columns(setOpened)}
        onRow={setOpened}
        empty={
          used(filterNames) > 0 ? (
            <EmptyState title={labels.noMatch}>{shared.filters.noMatch}</EmptyState>
          ) : (
            <EmptyState title={labels.empty}>{labels.emptyNote}</EmptyState>
          )
        }
      />
      {opened && <EmailDialog email={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}

function EmailDialog({ email, onClose }: { email: MailSummary; onClose: () => void }) {
  const content = useCall('getMail', { id: email.id })
  return (
    <Modal
      opened
      onClose={onClose}
      title={email.subject}
      size="xl"
      closeButtonProps={{ 'aria-label': shared.actions.close }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {email.sent_at
            ? labels.sentTo(email.to_address, exactTime(email.sent_at))
            : labels.addressedTo(email.to_address, email.status)}
        </Text>
        {content.isPending && <Skeleton height={320} role="status" aria-label={shared.states.loading} />}
        {content.isError && <ErrorNotice error={content.error} retry={() => void content.refetch()} />}
        {content.data && (
          <EmailContent subject={email.subject} html={content.data.html_body} text={content.data.text_body} />
        )}
      </Stack>
    </Modal>
  )
}
