import { Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'

/** Facts with their names, as a list that screen readers can read out. */
export function FactList({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl
      style={{
        display: 'grid',
        gridTemplateColumns: 'minmax(90px, auto) minmax(0, 1fr)',
        gap: '8px 16px',
        margin: 0,
      }}
    >
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </Fragment>
      ))}
    </dl>
  )
}
