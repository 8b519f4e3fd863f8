import { Text } from '@mantine/core'
import type { PortalCommission } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { money } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { useMe } from '../shared/me.tsx'
import { Row } from '../shared/row.tsx'
import { StatusBadge } from '../shared/status.tsx'
import { commissionNote } from './commission-note.ts'
import { commissionState } from './commission-state.ts'

const texts = pages.commissions

/** A ledger entry. Below its referral, the customer and campaign are not repeated. */
export function CommissionRow({
  commission,
  isBelowReferral = false,
}: {
  commission: PortalCommission
  isBelowReferral?: boolean
}) {
  const { original } = commission
  const { time_zone: zone } = useMe()
  const note = commissionNote(commission, zone)
  const state = commissionState(commission)
  return (
    <Row
      title={texts.types[commission.entry_type]}
      amount={
        <span style={{ textDecoration: commission.status === 'void' ? 'line-through' : undefined }}>
          <Money minor={commission.amount_minor} currency={commission.currency} />
        </span>
      }
      about={[
        ...(isBelowReferral ? [] : [commission.customer, commission.campaign_name]),
        original && texts.from(money(original.amount_minor, original.currency)),
      ]}
      time={commission.created_at}
      status={<StatusBadge value={state} label={pages.money[state]} />}
    >
      {note && <Text size="sm">{note}</Text>}
    </Row>
  )
}
