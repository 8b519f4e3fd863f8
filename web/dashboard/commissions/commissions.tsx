import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { createdBetween } from '../shared/days.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { CampaignFilter, ChoiceFilter, DayFilters, FilterBar, FixedFilter } from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { AdjustBalance } from './adjust-balance.tsx'
import { commissionColumns, entryTypes } from './commission-columns.tsx'
import { commissionReview } from './commission-review.tsx'

const statuses = { pending: 'Pending', approved: 'Approved', paid: 'Paid', void: 'Void' } as const
const beneficiaries = { affiliate: 'Affiliate', referrer: 'Referrer', referee: 'New customer' } as const
const filterNames = [
  'status',
  'entry_type',
  'affiliate_id',
  'campaign_id',
  'beneficiary',
  'from',
  'until',
] as const

export function Commissions() {
  const { values, bind, used, clear } = useFilters('/$account/commissions')
  const path = usePath()
  const navigate = useNavigate()
  const mayMoveMoney = useMay('money')
  const [isAdjusting, setAdjusting] = useState(false)
  const { ask, dialog } = useReviewDialog(commissionReview)
  const query = {
    campaign_id: values.campaign_id,
    affiliate_id: values.affiliate_id,
    referral_id: values.referral_id,
    status: values.status,
    entry_type: values.entry_type,
    beneficiary: values.beneficiary,
    ...createdBetween(values),
  }
  const isFiltered = used([...filterNames, 'referral_id']) > 0
  return (
    <>
      <PageHead title="Commissions" note="The ledger: what every affiliate earned, gave back and was paid.">
        <ExportLink route="exportCommissions" query={query} />
        {mayMoveMoney && <Button onClick={() => setAdjusting(true)}>Adjust balance</Button>}
      </PageHead>
      <FixedFilter label="Referral" {...bind('referral_id')} />
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <ChoiceFilter label="Status" {...bind('status')} options={optionsOf(statuses)} />
        <ChoiceFilter label="Type" {...bind('entry_type')} options={optionsOf(entryTypes)} />
        <AffiliatePicker {...bind('affiliate_id')} />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter label="Beneficiary" {...bind('beneficiary')} options={optionsOf(beneficiaries)} />
        <DayFilters from={bind('from')} until={bind('until')} />
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
