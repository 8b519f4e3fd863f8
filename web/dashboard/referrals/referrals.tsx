import { Badge, Box, Skeleton, Tabs, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReferralSummary } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { Status } from '../../ui/values.tsx'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useCall, useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { createdBetween } from '../shared/days.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { CampaignFilter, ChoiceFilter, DayFilters, FilterBar, TextFilter } from '../shared/list-filters.tsx'
import { AffiliateLink, PageLink, Sums } from '../shared/named-links.tsx'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { referralReview } from './referral-review.tsx'
import { filterNames, reviewStatuses, type Tab, tabOf, unattributedQuery } from './tabs.ts'
import { Unattributed } from './unattributed.tsx'

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
    ...createdBetween(values),
  }
  return (
    <>
      <PageHead title="Referrals" note="Customers that affiliates brought, and who was credited for them.">
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
            Needs review
          </Tabs.Tab>
          <Tabs.Tab value="all">All</Tabs.Tab>
          <Tabs.Tab value="approved">Approved</Tabs.Tab>
          <Tabs.Tab value="rejected">Rejected</Tabs.Tab>
          <Tabs.Tab value="unattributed">Unattributed</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {/* The list waits until it is known which tab it belongs to, so that it is not asked for twice. */}
      {waiting.isPending ? (
        <Skeleton height={240} aria-label="Loading" />
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
    title: 'Customer',
    cell: row => (
      <>
        <PageLink to={`referrals/${row.id}`}>{row.customer_ref}</PageLink>
        {row.is_test && (
          <Badge size="xs" variant="outline" color="gray" ml={6} tt="none">
            Test
          </Badge>
        )}
      </>
    ),
  },
  {
    title: 'Affiliate',
    cell: row => (
      <Box miw={140} maw={230}>
        <AffiliateLink id={row.affiliate_id} name={row.affiliate_name} email={row.affiliate_email} />
      </Box>
    ),
  },
  {
    title: 'Campaign',
    cell: row => <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name}</PageLink>,
  },
  {
    title: 'Status',
    cell: row => (
      <>
        <Status value={row.status} />
        {row.flags.map(flag => (
          <Text key={flag} size="xs" c="dimmed" maw={260} mt={2}>
            {flag}
          </Text>
        ))}
      </>
    ),
  },
  { title: 'Revenue', align: 'right', cell: row => <Sums sums={row.revenue} /> },
  { title: 'When', sorts: true, cell: row => <When time={row.occurred_at} /> },
]

function ReferralList({
  tab,
  query,
}: {
  tab: Tab
  query: Parameters<typeof DataTable<'listReferrals'>>[0]['query']
}) {
  const { bind, used, clear } = useFilters('/$account/referrals')
  const path = usePath()
  const navigate = useNavigate()
  const mayDecide = useMay('programme')
  const { ask, dialog } = useReviewDialog(referralReview)
  const isFiltered = used(filterNames) > 0
  return (
    <>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <TextFilter label="Customer" {...bind('customer_ref')} placeholder="Exact name" />
        <AffiliatePicker {...bind('affiliate_id')} />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter
          label="Tests"
          {...bind('is_test')}
          options={[
            { value: false, label: 'Without tests' },
            { value: true, label: 'Only tests' },
          ]}
        />
        <DayFilters from={bind('from')} until={bind('until')} />
      </FilterBar>
      <DataTable
        route="listReferrals"
        label="Referrals"
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
  if (isFiltered)
    return (
      <EmptyState title="No referral matches the filters">
        The conversion may be unattributed: look under “Unattributed” for the reason.
      </EmptyState>
    )
  if (tab === 'pending_review')
    return (
      <EmptyState title="Nothing waits for review">
        Referrals that a fraud rule flags, and those of campaigns that review every referral, wait here for
        your decision.
      </EmptyState>
    )
  if (tab === 'approved' || tab === 'rejected')
    return <EmptyState title={`No referral is ${tab}`}>Other tabs may hold what you look for.</EmptyState>
  return (
    <EmptyState title="No referrals yet">
      A referral appears when your application reports a conversion that came through an affiliate’s link,
      coupon code or token.
    </EmptyState>
  )
}
