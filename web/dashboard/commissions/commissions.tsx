import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AffiliatePicker } from '../affiliates/affiliate-picker.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { chosenSource } from '../shared/chosen-source.ts'
import { DataTable } from '../shared/data-table.tsx'
import { createdBetween } from '../shared/days.ts'
import { texts as sharedTexts } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import {
  CampaignFilter,
  ChoiceFilter,
  DayFilters,
  FilterBar,
  FixedFilter,
  SearchFilter,
  SourceFilter,
} from '../shared/list-filters.tsx'
import { optionsOf } from '../shared/options.ts'
import { DecisionButtons, useReviewDialog } from '../shared/review-dialog.tsx'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { AdjustBalance } from './adjust-balance.tsx'
import { commissionColumns } from './commission-columns.tsx'
import { commissionReview } from './commission-review.tsx'
import { texts } from './en.ts'

const { fields, filters } = sharedTexts

const filterNames = [
  'q',
  'status',
  'entry_type',
  'affiliate_id',
  'campaign_id',
  'beneficiary',
  'clears_soon',
  'is_counted',
  'source',
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
  const chosen = chosenSource(values)
  const query = {
    q: values.q?.slice(0, 100),
    campaign_id: values.campaign_id,
    affiliate_id: values.affiliate_id,
    referral_id: values.referral_id,
    status: values.status,
    entry_type: values.entry_type,
    beneficiary: values.beneficiary,
    clears_soon: values.clears_soon,
    is_counted: values.is_counted,
    ...chosen,
    ...createdBetween(values),
  }
  const isFiltered = used([...filterNames, 'referral_id']) > 0
  return (
    <>
      <PageHead title={texts.title} note={texts.note}>
        <ExportLink route="exportCommissions" query={query} />
        {mayMoveMoney && <Button onClick={() => setAdjusting(true)}>{texts.adjust.title}</Button>}
      </PageHead>
      <FixedFilter label={texts.filters.referral} {...bind('referral_id')} />
      <FixedFilter label={texts.filters.clearsSoon} {...bind('clears_soon')} />
      <FixedFilter label={filters.isCounted} {...bind('is_counted')} />
      {chosen && <SourceFilter {...chosen} onClear={() => clear(['source', 'source_value'])} />}
      <FilterBar used={used(filterNames)} onClear={() => clear([...filterNames, 'source_value'])}>
        <SearchFilter {...bind('q')} hint={texts.filters.searchHint} />
        <ChoiceFilter label={fields.status} {...bind('status')} options={optionsOf(texts.statuses)} />
        <ChoiceFilter label={fields.type} {...bind('entry_type')} options={optionsOf(texts.types)} />
        <AffiliatePicker {...bind('affiliate_id')} />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter
          label={texts.filters.beneficiary}
          {...bind('beneficiary')}
          options={optionsOf(texts.beneficiaries)}
        />
        <DayFilters from={bind('from')} until={bind('until')} />
      </FilterBar>
      <DataTable
        route="listCommissions"
        label={texts.title}
        query={query}
        columns={commissionColumns}
        note={({ is_partial }) => is_partial && texts.isPartial}
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
            <EmptyState title={texts.empty.filtered}>{filters.noMatch}</EmptyState>
          ) : (
            <EmptyState
              title={texts.empty.title}
              action={
                mayMoveMoney && (
                  <Button variant="default" onClick={() => setAdjusting(true)}>
                    {texts.adjust.title}
                  </Button>
                )
              }
            >
              {texts.empty.text}
            </EmptyState>
          )
        }
      />
      {dialog}
      {isAdjusting && <AdjustBalance affiliateId={query.affiliate_id} onClose={() => setAdjusting(false)} />}
    </>
  )
}
