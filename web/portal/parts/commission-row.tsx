import { Group, Text } from '@mantine/core'
import type { PortalCommission } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { money, shortDate } from '../../ui/format.ts'
import { Money } from '../../ui/values.tsx'
import { StatusBadge } from './status.tsx'

const texts = pages.commissions

/** Why it is still pending, or what it was. */
function note(commission: PortalCommission): string | null {
  if (commission.in_review) return texts.inReview
  if (commission.status === 'pending' && commission.hold_until)
    return texts.heldUntil(shortDate(commission.hold_until))
  return commission.description ?? (commission.entry_type === 'clawback' ? texts.clawback : null)
}

export function CommissionRow({ commission }: { commission: PortalCommission }) {
  const { original } = commission
  const about = [commission.customer, commission.campaign_name, shortDate(commission.created_at)]
  const said = note(commission)
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Text fw={600}>{texts.types[commission.entry_type]}</Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {about.filter(Boolean).join(' · ')}
        </Text>
        {said && <Text size="sm">{said.charAt(0).toUpperCase() + said.slice(1)}</Text>}
      </div>
      <div style={{ textAlign: 'right', flexShrink: 0 }}>
        <Text fw={600} className="number" td={commission.status === 'void' ? 'line-through' : undefined}>
          <Money minor={commission.amount_minor} currency={commission.currency} />
        </Text>
        {original && (
          <Text size="xs" c="dimmed">
            {texts.from(money(original.amount_minor, original.currency))}
          </Text>
        )}
        <StatusBadge value={commission.status} />
      </div>
    </Group>
  )
}
