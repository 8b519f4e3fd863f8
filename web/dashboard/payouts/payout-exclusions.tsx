import { Chip, Group, List, Text } from '@mantine/core'
import type { PayoutPreviewPage } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { useFilters } from '../shared/use-filters.ts'
import { reasonOf, reasonsIn } from './exclusions.ts'
import { exclusionWords } from './payout-words.ts'

/** How many get nothing for which reason, in plain words; a reason can be looked at alone. */
export function ExclusionFilter({ first }: { first: PayoutPreviewPage }) {
  const { values, set } = useFilters('/$account/payouts/new')
  const reasons = reasonsIn(first)
  if (reasons.length === 0) return null
  const chosen = reasonOf(values, first)
  const shown = reasons.filter(([reason]) => chosen === undefined || reason === chosen)
  return (
    <>
      <Chip.Group
        value={chosen ?? 'all'}
        onChange={value => set({ reason: reasons.find(([reason]) => reason === value)?.[0] })}
      >
        <Group gap="xs" mb="sm" role="radiogroup" aria-label="Reason">
          <Chip value="all" size="sm" variant="outline">
            Every reason
          </Chip>
          {reasons.map(([reason, affiliates]) => (
            <Chip key={reason} value={reason} size="sm" variant="outline">
              {exclusionWords[reason].title} ({count(affiliates)})
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <List size="sm" mb="sm" spacing={4}>
        {shown.map(([reason]) => (
          <List.Item key={reason}>
            <strong>{exclusionWords[reason].title}:</strong> {exclusionWords[reason].meaning}{' '}
            <Text span inherit c="dimmed">
              {exclusionWords[reason].remedy}
            </Text>
          </List.Item>
        ))}
      </List>
    </>
  )
}
