import { Alert, Button, FileButton, Group, Loader, Select, Stack, Text, Textarea } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ImportReport } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { showError, useChange, useMay, usePath } from '../shared/account.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { useCampaigns } from '../shared/list-filters.tsx'
import { Section } from '../shared/section.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { texts } from './en.ts'
import { ImportReportView } from './import-report.tsx'

const { fields: names, import: labels } = texts
const LARGEST_FILE_BYTES = 2_000_000

export function AffiliateImport() {
  const path = usePath()
  const back = (
    <Button component={Link} to={path('affiliates')} variant="default">
      {labels.back}
    </Button>
  )
  if (!useMay('programme'))
    return (
      <>
        <PageHead title={labels.title} />
        <EmptyState title={labels.notAllowed} action={back}>
          {labels.notAllowedNote}
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHead title={labels.title} note={labels.note}>
        {back}
      </PageHead>
      <Import />
    </>
  )
}

function Import() {
  const campaigns = useCampaigns()
  const [campaign, setCampaign] = useState<string | null>(null)
  const [csv, setCsv] = useState('')
  /** The last report; editing the list discards it. */
  const [checked, setChecked] = useState<{ report: ImportReport; isDryRun: boolean } | null>(null)
  const chosen = campaign ?? (campaigns.length === 1 ? String(campaigns[0]?.id) : null)
  const send = useChange('importAffiliates')
  const start = (isDryRun: boolean) =>
    send.mutate(
      { body: { campaign_id: Number(chosen), csv, dry_run: isDryRun } },
      { onSuccess: report => setChecked({ report, isDryRun }) },
    )
  const edit = (text: string) => {
    setCsv(text)
    setChecked(null)
    send.reset()
  }
  const read = (file: File | null) => {
    if (!file) return
    if (file.size > LARGEST_FILE_BYTES) showError(new Error(labels.tooLarge))
    else file.text().then(edit, () => showError(new Error(labels.unreadable)))
  }
  return (
    <Stack gap="md" maw={900}>
      <Section title={labels.list}>
        <Stack gap="sm">
          <Select
            label={names.campaign}
            description={labels.campaignHint}
            placeholder={names.selectCampaign}
            data={campaigns.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={chosen}
            onChange={value => {
              setCampaign(value)
              setChecked(null)
            }}
            allowDeselect={false}
            searchable
            required
            maw={400}
          />
          <Textarea
            label={labels.csv}
            description={labels.csvHint}
            placeholder={labels.csvExample}
            value={csv}
            onChange={event => edit(event.currentTarget.value)}
            rows={8}
            styles={{ input: { fontFamily: 'monospace', whiteSpace: 'pre', overflowX: 'auto' } }}
            spellCheck={false}
            required
          />
          <Group>
            <FileButton onChange={read} accept=".csv,.tsv,.txt,text/csv,text/plain">
              {props => (
                <Button variant="default" {...props}>
                  {labels.chooseFile}
                </Button>
              )}
            </FileButton>
            <Button
              onClick={() => start(true)}
              disabled={chosen === null || csv.trim() === ''}
              loading={send.isPending && checked === null}
            >
              {labels.preview}
            </Button>
          </Group>
          {send.isError && <ErrorNotice error={send.error} />}
        </Stack>
      </Section>
      {checked && (
        <Report {...checked} isBusy={send.isPending} onImport={() => start(false)} onAgain={() => edit('')} />
      )}
    </Stack>
  )
}

function Report({
  report,
  isDryRun,
  isBusy,
  onImport,
  onAgain,
}: {
  report: ImportReport
  isDryRun: boolean
  isBusy: boolean
  onImport: () => void
  onAgain: () => void
}) {
  const toDo = report.created + report.enrolled
  return (
    <Section title={isDryRun ? labels.previewTitle : labels.doneTitle}>
      <Stack gap="md" role="status">
        <Text size="sm">{isDryRun ? labels.checked(report.lines) : labels.imported(report.lines)}</Text>
        <ImportReportView report={report} isDryRun={isDryRun} />
        {isDryRun && toDo === 0 && (
          <Alert variant="light" color="yellow">
            {labels.nothingToDo}
          </Alert>
        )}
        {isDryRun ? (
          <Group>
            <Button onClick={onImport} disabled={toDo === 0} loading={isBusy}>
              {labels.submit(toDo)}
            </Button>
            {isBusy && (
              <Text size="sm" c="dimmed">
                <Loader size={12} /> {labels.importing(report.lines)}
              </Text>
            )}
          </Group>
        ) : (
          <Group>
            <ButtonLink to="/$account/affiliates" search={{ status: 'pending' }}>
              {labels.review}
            </ButtonLink>
            <Button variant="default" onClick={onAgain}>
              {labels.again}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}
