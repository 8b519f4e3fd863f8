import { Badge, Box, Button, Skeleton, Tabs, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReferralSummary } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { flagText } from '../attribution/attribution-text.ts'
import { useCall, useMay, usePath } from '../shared/account.tsx'
import { chosenSource } from '../shared/chosen-source.ts'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { createdBetween } from '../shared/days.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { ButtonLink } from '../shared/links.tsx'
import {
  CampaignFilter,
  ChoiceFilter,
  DayFilters,
  FilterBar,
  FixedFilter,
  SourceFilter,
  TextFilter,
  Wide,
} from '../shared/list-filters.tsx'
import { AffiliateLink, PageLink, Sums } from '../shared/named-links.tsx'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { CustomerEmail } from './customer-email.tsx'
import { texts } from './en.ts'
import { referralReview } from './referral-review.tsx'
import { Reported } from './reported.tsx'
import { filterNames, reviewStatuses, type Tab, tabOf, unattributedQuery } from './tabs.ts'
import { Unattributed } from './unattributed.tsx'

const { fields, filters, states } = sharedTexts

export function Referrals() {
  const { values, set } = useFilters('/$account/referrals')
  const waiting = useCall('listReferrals', { query: { status: 'pending_review', limit: 1 } })
  const needsReview = waiting.data?.needs_review ?? 0
  const tab = tabOf(values, needsReview)
  const query = {
    status: reviewStatuses.find(each => each === tab),
    campaign_id: values.campaign_id,
    affiliate_id: values.affiliate_id,
    customer_ref: values.customer_ref,
    is_test: values.is_test,
    is_counted: values.is_counted,
    ...chosenSource(values),
    ...createdBetween(values),
  }
  return (
    <>
      <PageHead title={texts.title} note={texts.note}>
        {tab === 'unattributed' ? (
          <ExportLink route="exportUnattributed" query={unattributedQuery(values)} />
        ) : (
          <ExportLink route="exportReferrals" query={query} />
        )}
      </PageHead>
      <Tabs
        value={tab}
        mb="md"
        onChange={value =>
          set(
            value === 'unattributed'
              ? { view: value, status: undefined }
              : { view: undefined, status: (value as Exclude<Tab, 'unattributed'> | null) ?? undefined },
          )
        }
      >
        <Tabs.List style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          <Tabs.Tab
            value="pending_review"
            rightSection={
              needsReview > 0 && (
                <Badge size="sm" color="yellow" variant="light" autoContrast miw="max-content">
                  {needsReview >= 1000 ? '1000+' : count(needsReview)}
                </Badge>
              )
            }
          >
            {texts.tabs.pending_review}
          </Tabs.Tab>
          <Tabs.Tab value="all">{texts.tabs.all}</Tabs.Tab>
          <Tabs.Tab value="approved">{texts.tabs.approved}</Tabs.Tab>
          <Tabs.Tab value="rejected">{texts.tabs.rejected}</Tabs.Tab>
          <Tabs.Tab value="unattributed">{texts.tabs.unattributed}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {/* The list loads once the tab is known, so that it isn't fetched twice. */}
      {waiting.isPending ? (
        <Skeleton height={240} role="status" aria-label={states.loading} />
      ) : tab === 'unattributed' ? (
        <Unattributed />
      ) : (
        <ReferralList tab={tab} query={query} />
      )}
    </>
  )
}

const columns: Column<ReferralSummary>[] = [
  {
    title: fields.customer,
    cell: row => (
      <>
        <PageLink to={`referrals/${row.id}`}>{row.customer_ref}</PageLink>
        {row.is_test && (
          <Badge size="xs" variant="outline" color="gray" ml={6} tt="none">
            {states.test}
          </Badge>
        )}
        <CustomerEmail customer={row} />
      </>
    ),
  },
  {
    title: fields.affiliate,
    cell: row => (
      <Box miw={140} maw={230}>
        <AffiliateLink id={row.affiliate_id} name={row.affiliate_name} email={row.affiliate_email} />
      </Box>
    ),
  },
  {
    title: fields.campaign,
    cell: row => (
      <Box miw={110}>
        <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name}</PageLink>
      </Box>
    ),
  },
  {
    title: fields.status,
    cell: row => (
      <>
        <Status value={row.status} />
        {row.flags.map(flag => (
          <Text key={flag} size="xs" c="dimmed" maw={260} mt={2}>
            {flagText(flag)}
          </Text>
        ))}
      </>
    ),
  },
  { title: texts.revenue, align: 'right', cell: row => <Sums sums={row.revenue} /> },
  { title: texts.detail.reported, sorts: true, cell: row => <Reported row={row} /> },
]

function ReferralList({
  tab,
  query,
}: {
  tab: Tab
  query: Parameters<typeof DataTable<'listReferrals'>>[0]['query']
}) {
  const { values, bind, used, clear } = useFilters('/$account/referrals')
  const chosen = chosenSource(values)
  const path = usePath()
  const navigate = useNavigate()
  const mayDecide = useMay('programme')
  const { ask, dialog } = useReviewDialog(referralReview)
  const isFiltered = used(filterNames) > 0
  return (
    <>
      <FixedFilter label={filters.isCounted} {...bind('is_counted')} />
      {chosen && <SourceFilter {...chosen} onClear={() => clear(['source', 'source_value'])} />}
      <FilterBar used={used(filterNames)} onClear={() => clear([...filterNames, 'source_value'])}>
        <Wide>
          <TextFilter
            label={fields.customer}
            {...bind('customer_ref')}
            placeholder={texts.filters.customer}
          />
        </Wide>
        <AffiliatePicker {...bind('affiliate_id')} />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter
          label={texts.filters.tests}
          {...bind('is_test')}
          options={[
            { value: false, label: texts.filters.withoutTests },
            { value: true, label: texts.filters.onlyTests },
          ]}
        />
        <DayFilters from={bind('from')} until={bind('until')} />
      </FilterBar>
      <DataTable
        route="listReferrals"
        label={texts.title}
        query={query}
        columns={columns}
        onRow={row => void navigate({ to: path(`referrals/${row.id}`) })}
        bulk={
          mayDecide
            ? (_ids, clear, rows) => (
                <DecisionButtons
                  kind={referralReview}
                  rows={rows}
                  size="xs"
                  ask={(some, decision) => ask(some, decision, clear)}
                />
              )
            : undefined
        }
        empty={<NoReferrals tab={tab} isFiltered={isFiltered} />}
      />
      {dialog}
    </>
  )
}

function NoReferrals({ tab, isFiltered }: { tab: Tab; isFiltered: boolean }) {
  const { empty } = texts
  if (isFiltered)
    return (
      <EmptyState
        title={empty.filtered.title}
        action={
          <ButtonLink to="/$account/referrals" search={{ view: 'unattributed' }} variant="default">
            {empty.filtered.action}
          </ButtonLink>
        }
      >
        {empty.filtered.text}
      </EmptyState>
    )
  if (tab === 'pending_review' || tab === 'approved' || tab === 'rejected')
    return (
      <EmptyState
        title={empty[tab].title}
        action={
          <ButtonLink to="/$account/referrals" search={{ status: 'all' }} variant="default">
            {empty.viewAll}
          </ButtonLink>
        }
      >
        {empty[tab].text}
      </EmptyState>
    )
  return (
    <EmptyState
      title={empty.all.title}
      action={
        <Button component="a" href="/docs/tracking" variant="default">
          {empty.all.action}
        </Button>
      }
    >
      {empty.all.text}
    </EmptyState>
  )
}
