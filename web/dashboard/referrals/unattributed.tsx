import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { UnattributedConversion } from '@tributary/contract/dashboard'
import { type ReactNode, useState } from 'react'
import { Breakable } from '../../ui/breakable.tsx'
import { money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { AttributionExplained } from '../attribution/attribution-explained.tsx'
import { reasonText, unattributedText } from '../attribution/attribution-text.ts'
import { useMay } from '../shared/account.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { texts as sharedTexts } from '../shared/en.ts'
import { FactList } from '../shared/fact-list.tsx'
import { Copy } from '../shared/facts.tsx'
import {
  CampaignFilter,
  DayFilters,
  FilterBar,
  FixedFilter,
  TextFilter,
  Wide,
} from '../shared/list-filters.tsx'
import { PageLink } from '../shared/named-links.tsx'
import { EmptyState } from '../shared/states.tsx'
import { useFilters } from '../shared/use-filters.ts'
import { CreditConversion } from './credit-conversion.tsx'
import { CustomerEmail } from './customer-email.tsx'
import { texts as areaTexts } from './en.ts'
import { Reported } from './reported.tsx'
import { unattributedQuery } from './tabs.ts'

const texts = areaTexts.unattributed
const { fields, filters, states } = sharedTexts

const filterNames = ['campaign_id', 'customer_ref', 'is_recent', 'from', 'until'] as const

/** Conversions that no affiliate was credited for, each with the reason. */
export function Unattributed() {
  const { values, bind, used, clear } = useFilters('/$account/referrals')
  const [opened, setOpened] = useState<UnattributedConversion | null>(null)
  return (
    <>
      <FixedFilter label={texts.recent} {...bind('is_recent')} />
      <FilterBar used={used(filterNames)} onClear={() => clear(filterNames)}>
        <Wide>
          <TextFilter
            label={fields.customer}
            {...bind('customer_ref')}
            placeholder={areaTexts.filters.customer}
          />
        </Wide>
        <CampaignFilter {...bind('campaign_id')} />
        <DayFilters from={bind('from')} until={bind('until')} />
      </FilterBar>
      <DataTable
        route="listUnattributed"
        label={texts.label}
        query={unattributedQuery(values)}
        onRow={setOpened}
        columns={[
          {
            title: fields.customer,
            cell: row => (
              <>
                <Anchor component="button" type="button" inherit ta="left" onClick={() => setOpened(row)}>
                  {row.customer_ref}
                </Anchor>
                <CustomerEmail customer={row} />
              </>
            ),
          },
          {
            title: fields.campaign,
            cell: row => <PageLink to={`campaigns/${row.campaign_id}`}>{row.campaign_name}</PageLink>,
          },
          { title: fields.reason, cell: row => <Reasons attribution={row.attribution} /> },
          {
            title: areaTexts.sales.sale,
            align: 'right',
            cell: row =>
              row.sale ? <Money minor={row.sale.amount_minor} currency={row.sale.currency} /> : states.none,
          },
          { title: areaTexts.detail.reported, sorts: true, cell: row => <Reported row={row} /> },
        ]}
        empty={
          used(filterNames) > 0 ? (
            <EmptyState title={texts.filtered}>{filters.noMatch}</EmptyState>
          ) : (
            <EmptyState title={texts.empty}>{texts.emptyText}</EmptyState>
          )
        }
      />
      {opened && <UnattributedDialog conversion={opened} onClose={() => setOpened(null)} />}
    </>
  )
}

const SHOWN_REASONS = 3

/** The reason; with several invalid candidates, the reason of each. */
function Reasons({ attribution }: Pick<UnattributedConversion, 'attribution'>) {
  const { candidates } = attribution
  const reason = unattributedText(attribution)
  if (candidates.length < 2) return reason
  return (
    <>
      {reason}
      {candidates.slice(0, SHOWN_REASONS).map((candidate, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a recorded decision never changes.
        <Text key={index} size="xs" c="dimmed">
          {reasonText(candidate)}
        </Text>
      ))}
      {candidates.length > SHOWN_REASONS && (
        <Text size="xs" c="dimmed">
          {texts.more(candidates.length - SHOWN_REASONS)}
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
  const { customer_ref, customer_email, campaign_id, campaign_name, sale } = conversion
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={texts.dialog}
      closeButtonProps={{ 'aria-label': sharedTexts.actions.close }}
    >
      <Stack>
        <FactList
          facts={[
            [
              fields.customer,
              <Copy key="customer" value={customer_ref} label={areaTexts.detail.copyCustomer}>
                <b>{customer_ref}</b>
              </Copy>,
            ],
            ...(customer_email === null
              ? []
              : [
                  [areaTexts.detail.email, <Breakable key="email">{customer_email}</Breakable>] as [
                    string,
                    ReactNode,
                  ],
                ]),
            [
              fields.campaign,
              <PageLink key="campaign" to={`campaigns/${campaign_id}`}>
                {campaign_name}
              </PageLink>,
            ],
            [
              areaTexts.sales.sale,
              sale ? texts.saleOf(sale.external_id, money(sale.amount_minor, sale.currency)) : states.none,
            ],
          ]}
        />
        <AttributionExplained explanation={conversion} occurredAt={conversion.occurred_at} />
        <CreditSection conversion={conversion} onClose={onClose} />
      </Stack>
    </Modal>
  )
}

/** The next step: credit the affiliate who should have been. */
function CreditSection({ conversion, onClose }: { conversion: UnattributedConversion; onClose: () => void }) {
  const mayCredit = useMay('programme')
  const [isCrediting, setCrediting] = useState(false)
  if (isCrediting) return <CreditConversion conversion={conversion} onClose={onClose} />
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" flex={1} miw={240}>
        {texts.creditNote}
      </Text>
      {mayCredit && <Button onClick={() => setCrediting(true)}>{areaTexts.credit.action}</Button>}
    </Group>
  )
}
