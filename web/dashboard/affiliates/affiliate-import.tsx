import { Alert, Button, Code, FileButton, Group, Loader, Select, Stack, Text, Textarea } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ImportReport } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { count } from '../../ui/format.ts'
import { showError, useChange, useMay, usePath } from '../shared/account.tsx'
import { ButtonLink } from '../shared/links.tsx'
import { useCampaigns } from '../shared/list-filters.tsx'
import { Section } from '../shared/section.tsx'
import { EmptyState, ErrorNotice, PageHead } from '../shared/states.tsx'
import { ImportReportShown } from './import-report.tsx'

const EXAMPLE = 'email,name,token,coupon_code,paypal_email,tags'
const LARGEST_FILE_BYTES = 2_000_000

export function AffiliateImport() {
  const path = usePath()
  const back = (
    <Button component={Link} to={path('affiliates')} variant="default">
      To the affiliates
    </Button>
  )
  if (!useMay('programme'))
    return (
      <>
        <PageHead title="Import affiliates" />
        <EmptyState title="Your role does not allow this" action={back}>
          Ask an owner of the account to import the list, or to change your role.
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHead title="Import affiliates" note="A list from elsewhere: checked first, then added.">
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
  /** What was checked last: the report is about this and nothing else. */
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
    if (file.size > LARGEST_FILE_BYTES)
      showError(new Error('The file is larger than 2 MB. Split it into several.'))
    else file.text().then(edit, () => showError(new Error('The file could not be read. Choose it again.')))
  }
  return (
    <Stack gap="md" maw={900}>
      <Section title="1. The list">
        <Stack gap="sm">
          <Select
            label="Campaign"
            description="Everybody on the list is enrolled in it."
            placeholder="Choose one"
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
            label="CSV"
            description={
              <>
                The first line names the columns; only <Code>email</Code> is needed. Several tags are
                separated by semicolons. At most 5,000 lines. Rows pasted from a spreadsheet work too.
              </>
            }
            placeholder={`${EXAMPLE}\nada@example.com,Ada Lovelace,ada,ADA10,ada@example.com,"vip; maths"`}
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
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Button
              onClick={() => start(true)}
              disabled={chosen === null || csv.trim() === ''}
              loading={send.isPending && checked === null}
            >
              Check the list
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
    <Section title={isDryRun ? '2. What would happen' : '2. Done'}>
      <Stack gap="md" role="status">
        <Text size="sm">
          {isDryRun
            ? `${count(report.lines)} ${report.lines === 1 ? 'line was' : 'lines were'} checked. Nothing has been changed yet.`
            : `${count(report.lines)} ${report.lines === 1 ? 'line was' : 'lines were'} imported. New affiliates are pending until you approve them.`}
        </Text>
        <ImportReportShown report={report} isDryRun={isDryRun} />
        {isDryRun && toDo === 0 && (
          <Alert variant="light" color="yellow">
            There is nobody to add or enrol. Mend the list above and check it again.
          </Alert>
        )}
        {isDryRun ? (
          <Group>
            <Button onClick={onImport} disabled={toDo === 0} loading={isBusy}>
              Import {count(toDo)} {toDo === 1 ? 'affiliate' : 'affiliates'}
            </Button>
            {isBusy && (
              <Text size="sm" c="dimmed">
                <Loader size={12} /> Working through {count(report.lines)} lines…
              </Text>
            )}
          </Group>
        ) : (
          <Group>
            <ButtonLink to="/$account/affiliates" search={{ status: 'pending' }}>
              Approve the new ones
            </ButtonLink>
            <Button variant="default" onClick={onAgain}>
              Import another list
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}
