import { Stack, Table, Text, Title } from '@mantine/core'
import type { Leaderboard as Board } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { Breakable } from '../../ui/breakable.tsx'
import { count, money } from '../../ui/format.ts'
import { PageLink } from '../shared/router.tsx'
import { Card } from '../shared/states.tsx'
import { placesOf } from './places-of.ts'

const texts = pages.leaderboard

/** The places of the current month. */
export function Leaderboard({ board }: { board: Board }) {
  const ownPlace = board.rows.some(({ is_me }) => is_me)
  return (
    <Card>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4" id="leaderboard">
            {texts.title}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.by[board.by]}
          </Text>
        </div>
        {board.rows.length > 0 && <Places board={board} />}
        {!ownPlace && <Text size="sm">{texts.noPlace}</Text>}
        <Text size="sm" c="dimmed">
          {texts.shownAs[board.shown_as]}{' '}
          <PageLink to="/settings" inherit underline="always">
            {texts.change}
          </PageLink>
        </Text>
      </Stack>
    </Card>
  )
}

function Places({ board }: { board: Board }) {
  const hasNumbers = board.rows.some(({ value }) => value !== null)
  const shown = (value: number) =>
    board.by === 'commissions' && board.currency ? money(value, board.currency) : count(value)
  return (
    <Table aria-labelledby="leaderboard" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={64}>{texts.place}</Table.Th>
          <Table.Th>{texts.affiliate}</Table.Th>
          {hasNumbers && (
            <Table.Th ta="right" style={{ whiteSpace: 'nowrap' }}>
              {texts.values[board.by]}
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {placesOf(board.rows).map(({ place, name, is_me, value, affiliates }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may appear twice.
          <Table.Tr key={index} fw={is_me ? 650 : undefined} aria-current={is_me || undefined}>
            <Table.Td>{count(place)}</Table.Td>
            <Table.Td>
              {is_me ? (
                texts.you(name)
              ) : name === null ? (
                <Text span inherit c="dimmed">
                  {texts.hidden(affiliates)}
                </Text>
              ) : (
                <Breakable>{name}</Breakable>
              )}
            </Table.Td>
            {hasNumbers && (
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {value === null ? '' : shown(value)}
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
