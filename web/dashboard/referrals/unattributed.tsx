import { Anchor, Modal, Stack, Text } from '@mantine/core'
import type { UnattributedConversion } from '@tributary/contract/dashboard'
import { useState } from 'react'
import { Money } from '../../ui/values.tsx'
import { AttributionExplained } from '../attribution/attribution-explained.tsx'
import { reasonWords, unattributedWords } from '../attribution/sentence.ts'
import { DataTable } from '../shared/data-table.tsx'
import { Copy, When } from '../shared/facts.tsx'
import { CampaignFilter, DayFilters, FilterBar, TextFilter } from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { unattributedQuery } from './tabs.ts'

const filterNames = ['campaign_id', 'customer_ref', 'from', 'until'] as const

/** Customers whom nobody was credited for, each with the reason. */
export function Unattributed() {
  const { values, bind, used, clear } = useFilters('/$account/referrals')
  const [opened, setOpened] = useState<UnattributedConversion | null>(null)
  return (
    <>
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <TextFilter label="Customer" {...bind('customer_ref')} placeholder="Exact name" />
        <CampaignFilter {...bind('campaign_id')} />
        <DayFilters from={bind('from')} until={bind('until')} />
      </FilterBar>
      <DataTable
        route="listUnattributed"
        label="Unattributed conversions"
        query={unattributedQuery(values)}
        onRow={setOpened}
        columns={[
          {
            title: 'Customer',
            cell: row => (
              <Anchor component="button" type="button" inherit ta="left" onClick={() => setOpened(row)}>
                {row.customer_ref}
              </Anchor>
            ),
          },
          {
            title: 'Campaign',
            cell: row => <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name}</PageLink>,
          },
          { title: 'Reason', cell: row => <Reasons attribution={row.attribution} /> },
          {
            title: 'Sale',
            align: 'right',
            cell: row =>
              row.sale ? <Money minor={row.sale.amount_minor} currency={row.sale.currency} /> : '–',
          },
          { title: 'When', sorts: true, cell: row => <When time={row.occurred_at} /> },
        ]}
        empty={
          <EmptyState title="Every conversion is credited to somebody">
            When a conversion is reported and no affiliate can be credited, it appears here with the reason.
          </EmptyState>
        }
      />
      {opened && <UnattributedDialog conversion={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

const SHOWN_REASONS = 3

/** The reason; where no one of several candidates was valid, what was wrong with each. */
function Reasons({ attribution }: Pick<UnattributedConversion, 'attribution'>) {
  const { candidates } = attribution
  const reason = unattributedWords(attribution)
  if (candidates.length < 2) return reason
  return (
    <>
      {reason}
      {candidates.slice(0, SHOWN_REASONS).map((candidate, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a decision that was made never changes.
        <Text key={index} size="xs" c="dimmed">
          {reasonWords(candidate)}
        </Text>
      ))}
      {candidates.length > SHOWN_REASONS && (
        <Text size="xs" c="dimmed">
          And {candidates.length - SHOWN_REASONS} more.
        </Text>
      )}
    </>
  )
}

function UnattributedDialog({
  conversion,
  onClose,
}: {
  conversion: UnattributedConversion
  onClose: () => void
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title="Unattributed conversion"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          Customer{' '}
          <Copy value={conversion.customer_ref} label="Copy the customer">
            <b>{conversion.customer_ref}</b>
          </Copy>{' '}
          in{' '}
          <PageLink inText to={`campaigns/${conversion.campaign_id}`}>
            {conversion.campaign_name}
          </PageLink>
          {conversion.sale && (
            <>
              , with sale {conversion.sale.external_id} of{' '}
              <Money minor={conversion.sale.amount_minor} currency={conversion.sale.currency} />
            </>
          )}
        </Text>
        <AttributionExplained explanation={conversion} occurredAt={conversion.occurred_at} />
        <Text size="sm" c="dimmed">
          Should somebody be credited after all? Report the conversion again with the affiliate’s token or
          coupon code: a report that nobody was credited for is replaced by a later one, and the sale that
          came with it then earns.
        </Text>
      </Stack>
    </Modal>
  )
}
