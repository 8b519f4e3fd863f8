import { Badge, Box, Button, Tabs, Text } from '@mantine/core'
import type { Signal } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useMay } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { ButtonLink, TextLink } from '../shared/links.tsx'
import { ChoiceFilter, FilterBar } from '../shared/list-filters.tsx'
import { AffiliateLink, PageLink } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { DecideSignal } from './decide-signal.tsx'
import { texts } from './en.ts'
import { SignalEvidence } from './signal-evidence.tsx'
import { signalRows } from './signal-rows.ts'

const filterNames = ['kind', 'affiliate_id'] as const
const statuses = ['open', 'decided', 'closed'] as const

const scoreColour = (score: number) => (score >= 70 ? 'red' : score >= 45 ? 'orange' : 'yellow')

/** The columns; `action` is below the affiliate on a phone, where its own column would be outside. */
const columnsWith = (action?: (row: Signal) => ReactNode): Column<Signal>[] => [
  {
    title: texts.columns.score,
    sorts: true,
    cell: ({ score }) => (
      <Badge variant="light" color={scoreColour(score)} size="lg" autoContrast miw="max-content">
        {score}
      </Badge>
    ),
  },
  {
    title: shared.fields.affiliate,
    cell: row => (
      <Box miw={130} maw={200}>
        <AffiliateLink id={row.affiliate_id} name={row.affiliate_name} email={row.affiliate_email} />
        {row.is_held && (
          <Badge variant="outline" color="gray" tt="none" size="sm" mt={4} miw="max-content">
            {texts.held}
          </Badge>
        )}
        {action && (
          <Box hiddenFrom="sm" mt="xs">
            {action(row)}
          </Box>
        )}
      </Box>
    ),
  },
  {
    title: texts.columns.signal,
    cell: row => (
      <Box miw={240}>
        <Text size="sm" fw={600}>
          {texts.kinds[row.kind]}
        </Text>
        {row.campaign_id !== null && (
          <Text size="xs" c="dimmed">
            <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name ?? ''}</PageLink>
          </Text>
        )}
        <SignalEvidence signal={row} />
        <RowsLink signal={row} />
      </Box>
    ),
  },
  { title: texts.columns.found, hiddenOn: 'small-laptop', cell: row => <When time={row.opened_at} /> },
]

/** The rows behind the numbers. */
function RowsLink({ signal }: { signal: Signal }) {
  const { clicks, referrals } = signalRows(signal)
  return (
    <>
      {clicks && (
        <TextLink to="/$account/explore/clicks" search={clicks} size="xs">
          {texts.links.clicks}
        </TextLink>
      )}
      {referrals && (
        <TextLink to="/$account/referrals" search={referrals} size="xs">
          {texts.links.referrals}
        </TextLink>
      )}
    </>
  )
}

const decision: Column<Signal> = {
  title: texts.columns.decision,
  cell: row =>
    row.decision && (
      <Box miw={120} maw={260}>
        <Text size="sm">{texts.decided[row.decision]}</Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {row.reason}
        </Text>
        <Text size="xs" c="dimmed">
          <When time={row.decided_at} />
        </Text>
      </Box>
    ),
}

/** Signs of fraud, each with its evidence and what can be done about it. */
export function Signals() {
  const { values, set, bind, used, clear } = useFilters('/$account/signals')
  const mayDecide = useMay('programme')
  const [asked, setAsked] = useState<Signal | null>(null)
  const status = values.status ?? 'open'
  const query = { status, kind: values.kind, affiliate_id: values.affiliate_id }
  const decide = (row: Signal) => (
    <Button
      size="xs"
      variant="default"
      miw="max-content"
      aria-label={texts.decideOn(row.affiliate_name ?? row.affiliate_email)}
      onClick={() => setAsked(row)}
    >
      {texts.decide}
    </Button>
  )
  const columns =
    status === 'open' && mayDecide
      ? [...columnsWith(decide), { title: texts.columns.decision, hiddenOn: 'phone' as const, cell: decide }]
      : [...columnsWith(), ...(status === 'decided' ? [decision] : [])]
  return (
    <>
      <PageHead title={texts.title} note={texts.note}>
        <ExportLink route="exportSignals" query={query} />
      </PageHead>
      <Tabs
        value={status}
        mb="md"
        onChange={value => set({ status: statuses.find(each => each === value && each !== 'open') })}
      >
        <Tabs.List style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          {statuses.map(each => (
            <Tabs.Tab key={each} value={each}>
              {texts.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <ChoiceFilter label={texts.filters.kind} {...bind('kind')} options={optionsOf(texts.kinds)} />
        <AffiliatePicker {...bind('affiliate_id')} />
      </FilterBar>
      <DataTable
        route="listSignals"
        label={texts.title}
        query={query}
        columns={columns}
        empty={<NoSignals status={status} />}
      />
      {asked && <DecideSignal signal={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

function NoSignals({ status }: { status: (typeof statuses)[number] }) {
  const { title, text } = texts.empty[status]
  return (
    <EmptyState
      title={title}
      action={
        status !== 'open' && (
          <ButtonLink to="/$account/signals" search={{}} variant="default">
            {texts.viewOpen}
          </ButtonLink>
        )
      }
    >
      {text}
    </EmptyState>
  )
}
