import { Radio, Stack, TextInput } from '@mantine/core'
import type { Leaderboard } from '@tributary/contract/portal'
import { pages } from '@tributary/contract/portal/texts'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../shared/api.ts'
import { useMe } from '../shared/me.tsx'
import { Card } from '../shared/states.tsx'
import { Save } from './save.tsx'

const texts = pages.leaderboard
const choices = ['hidden', 'name', 'nickname'] as const

/** How others see the affiliate on the leaderboard, if there is one. */
export function LeaderboardForm() {
  const board = useCall('getLeaderboard').data?.leaderboard
  return board ? <NameChoice board={board} /> : null
}

function NameChoice({ board }: { board: Leaderboard }) {
  const me = useMe()
  const [shownAs, setShownAs] = useState(board.shown_as)
  const [nickname, setNickname] = useState(board.nickname ?? '')
  const change = useChange('changeLeaderboardName')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({
      body: { shown_as: shownAs, ...(shownAs === 'nickname' && { nickname: nickname.trim() || null }) },
    })
  }
  return (
    <Card>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Radio.Group
            label={texts.choose}
            description={texts.chooseText}
            value={shownAs}
            onChange={value => setShownAs(choices.find(choice => choice === value) ?? 'hidden')}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="hidden" label={texts.choices.hidden} />
              <Radio value="name" label={texts.choices.name(me.name)} disabled={me.name === null} />
              <Radio value="nickname" label={texts.choices.nickname} />
            </Stack>
          </Radio.Group>
          {shownAs === 'nickname' && (
            <TextInput
              label={texts.choices.nickname}
              maxLength={40}
              required
              value={nickname}
              onChange={event => setNickname(event.currentTarget.value)}
            />
          )}
          <Save change={change} />
        </Stack>
      </form>
    </Card>
  )
}
