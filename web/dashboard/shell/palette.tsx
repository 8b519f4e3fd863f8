import { ActionIcon, Button } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Suspense, useEffect } from 'react'
import { later } from '../../ui/later.ts'
import { SearchIcon } from '../shared/icons.tsx'
import { texts } from './en.ts'

const loadDialog = () => import('./palette-dialog.tsx').then(module => module.PaletteDialog)
const PaletteDialog = later(loadDialog)

const { mac, others } = texts.search.keys
const shortcut = /mac|iphone|ipad/i.test(navigator.userAgent) ? mac : others

/** The search button of the header, and Ctrl+K or Cmd+K from anywhere, also while typing. */
export function Palette() {
  const [isOpen, { open, close, toggle }] = useDisclosure()
  useHotkeys([['mod+K', toggle]], [])
  // Loaded after the page, so that it opens at once.
  useEffect(() => void loadDialog(), [])
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        leftSection={<SearchIcon size={14} />}
        onClick={open}
        c="dimmed"
      >
        {texts.search.button(shortcut)}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label={texts.search.label}
        onClick={open}
      >
        <SearchIcon />
      </ActionIcon>
      {isOpen && (
        <Suspense>
          <PaletteDialog onClose={close} />
        </Suspense>
      )}
    </>
  )
}
