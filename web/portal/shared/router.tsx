import { Anchor, type AnchorProps } from '@mantine/core'
import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'
import { look } from './look.ts'
import { addressOfPage, pageAt } from './paths.ts'

/**
 * Eight pages need no more of a router than this; a library would be a quarter of what a phone has to load. A page is a path
 * below where the portal begins.
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

/** The page that is open, such as `/links` or `/referrals/7`. */
export const usePage = () => useSyncExternalStore(subscribe, currentPath)

export const hrefOf = (page: string) => addressOfPage(page, look.base)

function go(page: string): void {
  window.history.pushState(null, '', hrefOf(page))
  window.scrollTo(0, 0)
  for (const listener of listeners) listener()
  // Who reads with a keyboard or a screen reader goes on where the new page begins, not where the link was.
  document.getElementById('content')?.focus({ preventScroll: true })
}

/** Opens a page without loading everything anew; with a key held down it is an ordinary link. */
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
