import { Alert, Group, List, Stack, Text } from '@mantine/core'
import type { AssignedEntry, Assignment } from '@tributary/contract/dashboard'
import { shortDate } from '../../ui/format.ts'
import { Money, Status } from '../../ui/values.tsx'
import { flagText } from '../attribution/attribution-text.ts'
import { texts as areaTexts } from './en.ts'

const texts = areaTexts.assignment
const SHOWN = 6

/** What crediting an affiliate does: the commissions it creates, takes back and keeps. */
export function AssignmentPreview({
  effect,
  wasInReview = false,
}: {
  effect: Assignment
  wasInReview?: boolean
}) {
  const { entries, review } = effect
  return (
    <Alert variant="light" title={texts.label} role="status">
      <Stack gap="sm">
        <Text size="sm">{texts.sales(effect.sales)}</Text>
        {(['created', 'voided', 'kept'] as const).map(change => (
          <Entries
            key={change}
            title={texts[change]}
            entries={entries.filter(each => each.change === change)}
          />
        ))}
        {effect.sales > 0 && entries.length === 0 && <Text size="sm">{texts.noCommissions}</Text>}
        {effect.waiting_sales > 0 && <Text size="sm">{texts.waiting(effect.waiting_sales)}</Text>}
        {effect.refused_sales > 0 && <Text size="sm">{texts.refused(effect.refused_sales)}</Text>}
        {effect.is_test && <Text size="sm">{texts.isTest}</Text>}
        {effect.is_test === null && <Text size="sm">{texts.testUnknown}</Text>}
        {wasInReview && effect.status === 'approved' && <Text size="sm">{texts.reviewEnds}</Text>}
        {review.length > 0 && (
          <div>
            <Text size="sm">{texts.review}</Text>
            <List size="sm">
              {review.map(flag => (
                <List.Item key={flag}>{flagText(flag)}</List.Item>
              ))}
            </List>
          </div>
        )}
      </Stack>
    </Alert>
  )
}

function Entries({ title, entries }: { title: string; entries: AssignedEntry[] }) {
  if (entries.length === 0) return null
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {entries.slice(0, SHOWN).map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a preview is replaced as a whole.
        <Group key={index} justify="space-between" gap="xs" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {entry.description}
            {entry.hold_until && entry.status === 'pending' && (
              <Text span c="dimmed">
                {` · ${texts.clears(shortDate(entry.hold_until))}`}
              </Text>
            )}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Status value={entry.status} />
            <Money minor={entry.amount_minor} currency={entry.currency} />
          </Group>
        </Group>
      ))}
      {entries.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {texts.more(entries.length - SHOWN)}
        </Text>
      )}
    </div>
  )
}
