import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AffiliateFilter } from '../affiliates/affiliate-picker.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import {
  CampaignFilter,
  ChoiceFilter,
  createdBetween,
  DayFilters,
  FilterBar,
  FixedFilter,
} from '../shared/list-filters.tsx'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { asId, useFilters } from '../shared/url-state.ts'
import { AdjustBalance } from './adjust-balance.tsx'
import { commissionColumns, entryTypes } from './commission-columns.tsx'
import { commissionReview } from './commission-review.tsx'

const statuses = { pending: 'Pending', approved: 'Approved', paid: 'Paid', void: 'Void' } as const
const beneficiaries = { affiliate: 'Affiliate', referrer: 'Referrer', referee: 'New customer' } as const
const filterNames = ['status', 'entry_type', 'affiliate_id', 'campaign_id', 'beneficiary', 'from', 'until']

const optionsOf = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))
const keyOf = <T extends object>(names: T, text: string | undefined): keyof T | undefined =>
  text !== undefined && Object.hasOwn(names, text) ? (text as keyof T) : undefined

export function Commissions() {
  const [filters] = useFilters()
  const path = usePath()
  const navigate = useNavigate()
  const mayMoveMoney = useMay('money')
  const [isAdjusting, setAdjusting] = useState(false)
  const { ask, dialog } = useReviewDialog(commissionReview)
  const query = {
    campaign_id: asId(filters.campaign_id),
    affiliate_id: asId(filters.affiliate_id),
    referral_id: asId(filters.referral_id),
    status: keyOf(statuses, filters.status),
    entry_type: keyOf(entryTypes, filters.entry_type),
    beneficiary: keyOf(beneficiaries, filters.beneficiary),
    ...createdBetween(filters),
  }
  const isFiltered = [...filterNames, 'referral_id'].some(name => filters[name])
  return (
    <>
      <PageHead title="Commissions" note="The ledger: what every affiliate earned, gave back and was paid.">
        <ExportLink route="exportCommissions" query={query} />
        {mayMoveMoney && <Button onClick={() => setAdjusting(true)}>Adjust balance</Button>}
      </PageHead>
      <FixedFilter label="Referral" name="referral_id" />
      <FilterBar names={filterNames}>
        <ChoiceFilter label="Status" name="status" options={optionsOf(statuses)} />
        <ChoiceFilter label="Type" name="entry_type" options={optionsOf(entryTypes)} />
        <AffiliateFilter />
        <CampaignFilter />
        <ChoiceFilter label="Beneficiary" name="beneficiary" options={optionsOf(beneficiaries)} />
        <DayFilters />
      </FilterBar>
      <DataTable
        route="listCommissions"
        label="Commissions"
        query={query}
        columns={commissionColumns}
        onRow={row => void navigate({ to: path(`commissions/${row.id}`) })}
        bulk={
          mayMoveMoney
            ? (_ids, clear, rows) => (
                <DecisionButtons
                  kind={commissionReview}
                  rows={rows}
                  size="xs"
                  ask={(some, decision) => ask(some, decision, clear)}
                />
              )
            : undefined
        }
        empty={
          isFiltered ? (
            <EmptyState title="No entry matches the filters">Clear some of them to see more.</EmptyState>
          ) : (
            <EmptyState title="No commissions yet">
              An entry appears when a sale of a referred customer is reported. What was earned elsewhere
              before can be entered with “Adjust balance”.
            </EmptyState>
          )
        }
      />
      {dialog}
      {isAdjusting && <AdjustBalance affiliateId={query.affiliate_id} onClose={() => setAdjusting(false)} />}
    </>
  )
}
