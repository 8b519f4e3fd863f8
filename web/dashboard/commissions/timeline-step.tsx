import { Text, ThemeIcon, Timeline } from '@mantine/core'
import type { ReactNode } from 'react'
import { When } from '../shared/facts.tsx'

/** Green is complete, yellow is current, red is where it ended, grey is still to come. */
export type StepState = 'done' | 'now' | 'ended' | 'ahead'
const colours: Record<StepState, string> = { done: 'teal', now: 'yellow', ended: 'red', ahead: 'gray' }

/** A step of the timeline. */
export const step = (
  key: string,
  state: StepState,
  title: ReactNode,
  content?: ReactNode,
  at?: string | null,
) => (
  <Timeline.Item
    key={key}
    title={title}
    bullet={
      <ThemeIcon
        size={18}
        radius="xl"
        color={colours[state]}
        variant={state === 'ahead' ? 'light' : 'filled'}
        aria-hidden
      />
    }
  >
    <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
      {content}
    </Text>
    {at && (
      <Text size="xs" c="dimmed" mt={2}>
        <When time={at} />
      </Text>
    )}
  </Timeline.Item>
)
