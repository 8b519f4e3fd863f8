import { Chip, Group, List, Text } from '@mantine/core'
import type { Exclusion, PayoutPreviewPage } from '@tributary/contract/dashboard'
import { count } from '../../ui/format.ts'
import { useFilters } from '../shared/url-state.ts'
import { exclusionWords } from './payout-words.ts'

const reasonsIn = ({ excluded }: PayoutPreviewPage) =>
  (Object.entries(excluded) as [Exclusion, number][]).sort(([, a], [, b]) => b - a)

/** Which reason the address asks for, if anybody is excluded for it. */
export const reasonOf = (filters: Record<string, string>, first: PayoutPreviewPage) =>
  reasonsIn(first).find(([reason]) => reason === filters.reason)?.[0]

/** How many get nothing for which reason, in plain words; a reason can be looked at alone. */
export function ExclusionFilter({ first }: { first: PayoutPreviewPage }) {
  const [filters, setFilters] = useFilters()
  const reasons = reasonsIn(first)
  if (reasons.length === 0) return null
  const chosen = reasonOf(filters, first)
  const shown = reasons.filter(([reason]) => chosen === undefined || reason === chosen)
  return (
    <>
      <Chip.Group
        value={chosen ?? 'all'}
        onChange={value => setFilters({ reason: value === 'all' ? undefined : String(value) })}
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
