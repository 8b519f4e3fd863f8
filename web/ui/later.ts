import { type ComponentType, lazy } from 'react'

const RELOADED_AT = 'reloaded-at'
const MINUTE_MS = 60_000

/**
 * After an upgrade, the files of an open page are gone; loading the page anew gets the new ones. If that was tried within a minute, something
 * else is wrong.
 */
function loadAnew(error: unknown): Promise<never> {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < MINUTE_MS) throw error
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
  return new Promise(() => undefined)
}

/** A part that is loaded when it is shown first, not with the page. */
export const later = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(() => load().then(part => ({ default: part }), loadAnew))
