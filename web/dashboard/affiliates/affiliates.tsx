import { Badge, Button, Flex, Group, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { AffiliateSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { texts as shared } from '../shared/en.ts'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { CampaignFilter, ChoiceFilter, FilterBar, SearchFilter, TextFilter } from '../shared/list-filters.tsx'
import {
  DEFAULT_PERIOD,
  PeriodFilter,
  PeriodNote,
  performanceColumns,
} from '../shared/listed-performance.tsx'
import { AffiliateLink, PageLink, Sums } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { AddAffiliate } from './add-affiliate.tsx'
import { AffiliateReviewButtons, useAffiliateReview } from './affiliate-review.tsx'
import { texts } from './en.ts'

const { list } = texts
const filterNames = ['q', 'status', 'campaign_id', 'kind', 'tag'] as const
const SHOWN_CAMPAIGNS = 2

const columnsWith = (status: Column<AffiliateSummary>): Column<AffiliateSummary>[] => [
  {
    title: list.columns.affiliate,
    cell: row => (
      <div style={{ minWidth: 150 }}>
        <div id={`affiliate-${row.id}`}>
          <AffiliateLink id={row.id} name={row.name} email={row.email} />
        </div>
        <Group gap={4} mt={row.tags.length > 0 ? 4 : 0}>
          {row.tags.map(tag => (
            <Badge key={tag} variant="outline" color="gray" size="sm" tt="none">
              {tag}
            </Badge>
          ))}
        </Group>
      </div>
    ),
  },
  status,
  ...performanceColumns,
  {
    title: list.columns.balance,
    align: 'right',
    cell: row => (
      <Sums
        sums={row.balances
          .filter(({ balance_minor }) => balance_minor !== 0)
          .map(({ currency, balance_minor }) => ({ currency, amount_minor: balance_minor }))}
      />
    ),
  },
  {
    title: list.columns.campaigns,
    hiddenOn: 'small-laptop',
    cell: row => <Campaigns campaigns={row.campaigns} />,
  },
  {
    title: list.columns.joined,
    sorts: true,
    hiddenOn: 'small-laptop',
    cell: row => <When time={row.created_at} />,
  },
]

function Campaigns({ campaigns }: { campaigns: AffiliateSummary['campaigns'] }) {
  const more = campaigns.length - SHOWN_CAMPAIGNS
  return (
    <>
      {campaigns.slice(0, SHOWN_CAMPAIGNS).map(({ id, name }) => (
        <div key={id}>
          <PageLink to={`campaigns/${id}`}>{name}</PageLink>
        </div>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {list.moreCampaigns(more)}
        </Text>
      )}
    </>
  )
}

export function Affiliates() {
  const { values, set, bind, used, clear } = useFilters('/$account/affiliates')
  const path = usePath()
  const navigate = useNavigate()
  const mayDecide = useMay('programme')
  const [isAdding, setAdding] = useState(false)
  const { ask, decide, dialog } = useAffiliateReview()
  const query = {
    q: values.q?.slice(0, 100),
    status: values.status,
    campaign_id: values.campaign_id,
    kind: values.kind,
    tag: values.tag?.slice(0, 64),
    period: values.period ?? DEFAULT_PERIOD,
    sort: values.sort,
  }
  const columns = columnsWith({
    title: list.columns.status,
    cell: row => (
      // Stacked on a phone, so that the buttons stay visible; below the status where the date would be cut otherwise.
      <Flex
        direction={{ base: 'column', sm: 'row' }}
        wrap="wrap"
        maw={{ sm: 140, xl: 'none' }}
        gap="xs"
        align={{ base: 'flex-start', sm: 'center' }}
      >
        <Status value={row.status} />
        {mayDecide && row.status === 'pending' && (
          <AffiliateReviewButtons
            rows={[row]}
            // Their answers are shown before they are approved.
            onDecide={(some, decision) =>
              (decision === 'rejected' || row.has_answers ? ask : decide)(some, decision)
            }
            size="compact-xs"
            describedBy={`affiliate-${row.id}`}
          />
        )}
      </Flex>
    ),
  })
  return (
    <>
      <PageHead title={list.title} note={list.note}>
        <ExportLink route="exportAffiliates" query={{ ...query, order: values.order }} />
        {mayDecide && (
          <>
            <Button component={Link} to={path('affiliates/import')} variant="default">
              {list.import}
            </Button>
            <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
              {list.add}
            </Button>
          </>
        )}
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <SearchFilter {...bind('q')} hint={list.searchHint} />
        <ChoiceFilter label={list.columns.status} {...bind('status')} options={optionsOf(texts.statuses)} />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter label={texts.fields.kind} {...bind('kind')} options={optionsOf(texts.kinds)} />
        <PeriodFilter {...bind('period')} />
        <TextFilter label={list.tag} isExact {...bind('tag')} placeholder={shared.filters.any} />
      </FilterBar>
      <DataTable
        route="listAffiliates"
        label={list.title}
        query={query}
        columns={columns}
        onSort={sort => set({ sort })}
        note={({ period, data }) => <PeriodNote period={period} sort={values.sort} rows={data} />}
        onRow={row => void navigate({ to: path(`affiliates/${row.id}`) })}
        bulk={
          mayDecide
            ? (_ids, clear, rows) => (
                <AffiliateReviewButtons
                  rows={rows}
                  size="xs"
                  onDecide={(some, status) => ask(some, status, clear)}
                />
              )
            : undefined
        }
        empty={
          <NoAffiliates
            isFiltered={used(filterNames) > 0}
            onAdd={mayDecide ? () => setAdding(true) : undefined}
          />
        }
      />
      {dialog}
      {isAdding && <AddAffiliate onClose={() => setAdding(false)} />}
    </>
  )
}

function NoAffiliates({ isFiltered, onAdd }: { isFiltered: boolean; onAdd?: () => void }) {
  const path = usePath()
  if (isFiltered) return <EmptyState title={list.noMatch}>{list.noMatchNote}</EmptyState>
  return (
    <EmptyState
      title={list.empty}
      action={
        onAdd && (
          <Group justify="center" mt="xs">
            <Button onClick={onAdd}>{list.add}</Button>
            <Button component={Link} to={path('affiliates/import')} variant="default">
              {list.import}
            </Button>
          </Group>
        )
      }
    >
      {list.emptyNote}
    </EmptyState>
  )
}
