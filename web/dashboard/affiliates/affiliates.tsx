import { Badge, Button, Flex, Group, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { AffiliateSummary } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Status } from '../../ui/values.tsx'
import { useMay, usePath } from '../shared/account.tsx'
import { type Column, DataTable } from '../shared/data-table.tsx'
import { ExportLink } from '../shared/export-link.tsx'
import { When } from '../shared/facts.tsx'
import { PlusIcon } from '../shared/icons.tsx'
import { CampaignFilter, ChoiceFilter, FilterBar, TextFilter } from '../shared/list-filters.tsx'
import { AffiliateLink, PageLink, Sums } from '../shared/named-links.tsx'
import { optionsOf } from '../shared/options.ts'
import { EmptyState, PageHead } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { AddAffiliate } from './add-affiliate.tsx'
import { AffiliateReviewButtons, useAffiliateReview } from './affiliate-review.tsx'

const statuses = { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' } as const
const kinds = { affiliate: 'Affiliate', customer: 'Customer' } as const
const filterNames = ['q', 'status', 'campaign_id', 'kind', 'tag'] as const
const SHOWN_CAMPAIGNS = 2

const columnsWith = (status: Column<AffiliateSummary>): Column<AffiliateSummary>[] => [
  {
    title: 'Affiliate',
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
  { title: 'Campaigns', cell: row => <Campaigns campaigns={row.campaigns} /> },
  {
    title: 'Owed',
    align: 'right',
    cell: row => (
      <Sums
        sums={row.balances
          .filter(({ balance_minor }) => balance_minor !== 0)
          .map(({ currency, balance_minor }) => ({ currency, amount_minor: balance_minor }))}
      />
    ),
  },
  { title: 'Joined', sorts: true, cell: row => <When time={row.created_at} /> },
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
          and {more} more
        </Text>
      )}
    </>
  )
}

export function Affiliates() {
  const { values, bind, used, clear } = useFilters('/$account/affiliates')
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
  }
  const columns = columnsWith({
    title: 'Status',
    cell: row => (
      // Below each other on a phone, so that the buttons are in sight.
      <Flex direction={{ base: 'column', sm: 'row' }} gap="xs" align={{ base: 'flex-start', sm: 'center' }}>
        <Status value={row.status} />
        {mayDecide && row.status === 'pending' && (
          <AffiliateReviewButtons
            rows={[row]}
            onDecide={decide}
            size="compact-xs"
            describedBy={`affiliate-${row.id}`}
          />
        )}
      </Flex>
    ),
  })
  return (
    <>
      <PageHead title="Affiliates" note="Who promotes you, and what they are owed.">
        <ExportLink route="exportAffiliates" query={{ ...query, order: values.order }} />
        {mayDecide && (
          <>
            <Button component={Link} to={path('affiliates/import')} variant="default">
              Import
            </Button>
            <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
              Add affiliate
            </Button>
          </>
        )}
      </PageHead>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <TextFilter label="Search" {...bind('q')} placeholder="Name, email, coupon…" />
        <ChoiceFilter label="Status" {...bind('status')} options={optionsOf(statuses)} />
        <CampaignFilter {...bind('campaign_id')} />
        <ChoiceFilter label="Kind" {...bind('kind')} options={optionsOf(kinds)} />
        <TextFilter label="Tag" {...bind('tag')} placeholder="Any" />
      </FilterBar>
      <DataTable
        route="listAffiliates"
        label="Affiliates"
        query={query}
        columns={columns}
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
  if (isFiltered)
    return (
      <EmptyState title="No affiliate matches the filters">
        Clear some of them, or search for a part of the name or the email.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No affiliates yet"
      action={
        onAdd && (
          <Group justify="center" mt="xs">
            <Button onClick={onAdd}>Add affiliate</Button>
            <Button component={Link} to={path('affiliates/import')} variant="default">
              Import a list
            </Button>
          </Group>
        )
      }
    >
      Add the first one by hand, bring a list from elsewhere, or let people join a campaign with open
      enrolment from the portal.
    </EmptyState>
  )
}
