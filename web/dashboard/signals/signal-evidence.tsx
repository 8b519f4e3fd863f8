import { Group, Stack, Text } from '@mantine/core'
import type { Signal } from '@tributary/contract/dashboard'
import { PageLink } from '../shared/named-links.tsx'
import { texts } from './en.ts'

/** The parts of the score: what was found, and the points that it adds. */
export function SignalEvidence({ signal: { parts, others } }: { signal: Pick<Signal, 'parts' | 'others'> }) {
  return (
    <Stack gap={2} component="ul" my={4} style={{ listStyle: 'none', padding: 0 }}>
      {parts.map(part => (
        <Group key={part.fact} component="li" gap="xs" wrap="nowrap" align="baseline">
          <Text size="xs" fw={600} w={28} flex="none" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {texts.points(part.points)}
          </Text>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {texts.facts[part.fact](part)}
          </Text>
        </Group>
      ))}
      {others.length > 0 && (
        <Group component="li" gap="xs" wrap="nowrap" align="baseline">
          <Text size="xs" c="dimmed" w={28} flex="none">
            {texts.with}
          </Text>
          <Text size="sm" component="div">
            {others.map(({ id, name, email }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <PageLink to={`affiliates/${id}`} inText>
                  {name ?? email}
                </PageLink>
              </span>
            ))}
          </Text>
        </Group>
      )}
    </Stack>
  )
}
