import { Chip, Group, List, Text } from '@mantine/core'
import type { PayoutPreviewPage } from '@tributary/contract/dashboard'
import { texts as sharedTexts } from '../shared/en.ts'
import { useFilters } from '../shared/use-filters.ts'
import { texts } from './en.ts'
import { reasonOf, reasonsIn } from './exclusions.ts'

/** How many affiliates are excluded for each reason, with what it means; filters the list by one of them. */
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
        <Group gap="xs" mb="sm" role="radiogroup" aria-label={sharedTexts.fields.reason}>
          <Chip value="all" size="sm" variant="outline">
            {texts.preview.allReasons}
          </Chip>
          {reasons.map(([reason, affiliates]) => (
            <Chip key={reason} value={reason} size="sm" variant="outline">
              {texts.preview.reasonCount(texts.exclusions[reason].title, affiliates)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <List size="sm" mb="sm" spacing={4}>
        {shown.map(([reason]) => (
          <List.Item key={reason}>
            <strong>{texts.exclusions[reason].title}:</strong> {texts.exclusions[reason].meaning}{' '}
            <Text span inherit c="dimmed">
              {texts.exclusions[reason].remedy}
            </Text>
          </List.Item>
        ))}
      </List>
    </>
  )
}
