import { Anchor, type AnchorProps } from '@mantine/core'
import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'
import { look } from './look.ts'
import { addressOfPage, pageAt } from './paths.ts'

/**
 * Eight pages need no more of a router than this; a library would make up a quarter of the bundle a phone downloads. A page is a
 * path relative to the portal's base path.
 */
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

const currentPath = () => pageAt(window.location.pathname, look.base)

/** The current page, such as `/links` or `/referrals/7`. */
export const usePage = () => useSyncExternalStore(subscribe, currentPath)

export const hrefOf = (page: string) => addressOfPage(page, look.base)

function go(page: string): void {
  window.history.pushState(null, '', hrefOf(page))
  window.scrollTo(0, 0)
  for (const listener of listeners) listener()
  // Keyboard and screen reader users continue at the start of the new page, not where the link was.
  document.getElementById('content')?.focus({ preventScroll: true })
}

/** Opens a page without a full reload. With a modifier key held down, the browser handles the link. */
export const goOnClick = (page: string) => (event: MouseEvent) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return
  event.preventDefault()
  go(page)
}

export function PageLink({ to, children, ...props }: AnchorProps & { to: string; children: ReactNode }) {
  return (
    <Anchor {...props} href={hrefOf(to)} onClick={goOnClick(to)}>
      {children}
    </Anchor>
  )
}
