import {
  Modal,
  Text,
  TextInput,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { may } from '@tributary/contract/dashboard/permissions'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useAccount, useCall, useSessionInfo } from '../shared/account.tsx'
import { SearchIcon } from '../shared/icons.tsx'
import { useReturnsFocus } from '../shared/returns-focus.ts'
import { texts } from './en.ts'
import { LONGEST_SEARCH, type PaletteItem, paletteGroups, SHORTEST_SEARCH } from './palette-items.ts'
import { PaletteList } from './palette-list.tsx'
import { useSignOut } from './use-sign-out.ts'

const { search: labels } = texts
const LIST_ID = 'palette-results'
const TYPING_MS = 200

/** Searches pages, actions and the account's data: a combobox, whose list is operated by keyboard from the input. */
export function PaletteDialog({ onClose }: { onClose: () => void }) {
  useReturnsFocus()
  const { groups, isSearching, isError, text, setText } = usePaletteSearch()
  const run = useRun(onClose)
  const items = groups.flatMap(group => group.items)
  // A search elsewhere is offered for any text, so it is no match.
  const matches = items.filter(({ target }) => !('search' in target || 'docs' in target)).length
  const [activeId, setActiveId] = useState<string>()
  const found = items.findIndex(({ id }) => id === activeId)
  const active = found < 0 ? 0 : found
  const [isAwaited, setIsAwaited] = useState(false)
  const open = () => items[active] && run(items[active])
  const move = (to: number) => setActiveId(items[(to + items.length) % items.length]?.id)
  const moves: Record<string, () => void> = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    Home: () => move(0),
    End: () => move(items.length - 1),
    // What is on top belongs to an earlier text until the search has ended; what was chosen by arrow or mouse is what was meant.
    Enter: () => (isSearching && found < 0 ? setIsAwaited(true) : open()),
  }
  useEffect(() => {
    if (!isAwaited || isSearching) return
    setIsAwaited(false)
    open()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = moves[event.key]
    // An input method uses the same keys.
    if (!step || event.nativeEvent.isComposing) return
    event.preventDefault()
    step()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size="lg"
      yOffset="10vh"
      // Typing may go on at once: nothing typed may be lost to a transition.
      transitionProps={{ duration: 0 }}
      padding="xs"
      attributes={{ content: { 'aria-label': labels.label } }}
    >
      <TextInput
        data-autofocus
        autoFocus
        size="md"
        leftSection={<SearchIcon size={16} />}
        placeholder={labels.placeholder}
        aria-label={labels.label}
        role="combobox"
        aria-expanded={items.length > 0}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={items[active] && `palette-${items[active].id}`}
        autoComplete="off"
        maxLength={LONGEST_SEARCH}
        value={text}
        onChange={event => {
          setText(event.currentTarget.value)
          setActiveId(undefined)
          setIsAwaited(false)
        }}
        onKeyDown={onKeyDown}
      />
      {matches === 0 && !isError && (
        <Text size="sm" c="dimmed" px="sm" pt="sm" pb={4}>
          {isSearching ? labels.searching : labels.empty}
        </Text>
      )}
      <PaletteList
        id={LIST_ID}
        groups={groups}
        activeId={items[active]?.id}
        onHover={setActiveId}
        onChoose={run}
      />
      <VisuallyHidden role="status">{isSearching ? labels.searching : labels.found(matches)}</VisuallyHidden>
    </Modal>
  )
}

/** What matches the text. Earlier results stay until the next ones are in; a late response to an earlier text is ignored. */
function usePaletteSearch() {
  const account = useAccount()
  const { accounts } = useSessionInfo()
  const [text, setText] = useState('')
  const typed = text.trim()
  const [settled] = useDebouncedValue(typed, TYPING_MS)
  const isLong = settled.length >= SHORTEST_SEARCH
  const search = useCall('search', { query: { q: settled } }, { enabled: isLong, keepsPrevious: true })
  const scheme = useComputedColorScheme('light')
  const groups = paletteGroups(typed, {
    may: permission => may(account.role, permission),
    otherTheme: scheme === 'dark' ? 'light' : 'dark',
    accounts: accounts.filter(({ slug }) => slug !== account.slug),
    results: isLong && typed.length >= SHORTEST_SEARCH ? search.data : undefined,
  })
  return {
    groups,
    isSearching: typed !== settled || search.isFetching,
    isError: search.isError,
    text,
    setText,
  }
}

/** Carries out an item. */
function useRun(onClose: () => void): (item: PaletteItem) => void {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { slug } = useAccount()
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  return ({ target }) => {
    onClose()
    if ('page' in target) return void navigate({ to: `/${slug}/${target.page}` })
    if ('docs' in target)
      return window.location.assign(`/docs/search?${new URLSearchParams({ q: target.docs })}`)
    if ('guide' in target) return window.location.assign(`/docs/${target.guide}`)
    if ('endpoint' in target)
      return void navigate({
        to: '/$account/webhooks',
        params: { account: slug },
        search: { endpoint_id: target.endpoint },
      })
    if ('sale' in target)
      return void navigate({
        to: '/$account/explore/sales',
        params: { account: slug },
        search: { q: target.sale },
      })
    if ('search' in target)
      return void navigate(
        target.search === 'affiliates'
          ? { to: '/$account/affiliates', params: { account: slug }, search: { q: target.text } }
          : {
              to: '/$account/referrals',
              params: { account: slug },
              search: { status: 'all', customer_ref: target.text },
            },
      )
    if (target.command === 'sign-out') return void signOut('session')
    if (target.command === 'theme') return setColorScheme(scheme === 'dark' ? 'light' : 'dark')
    if (target.command === 'docs') return window.location.assign('/docs')
    return void navigate({ to: `/${target.command.slice('account '.length)}/overview` })
  }
}
