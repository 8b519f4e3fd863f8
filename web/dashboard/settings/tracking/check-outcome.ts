import type { RecentClick } from '@tributary/contract/dashboard'

export type CheckOutcome = 'waiting' | 'link_only' | 'not_allowed' | 'works'

export interface Finding {
  outcome: CheckOutcome
  /** The click that shows it. */
  click?: RecentClick
}

/**
 * What the clicks since the check began show. One that the script reported from an allowed site settles it; otherwise the newest one
 * counts. A bot that only follows the link shows nothing; one that runs the script shows that it runs.
 */
export function findingOf(clicks: RecentClick[], since: number): Finding {
  const fresh = clicks.filter(click => click.id > since && (click.by_script || !click.is_bot))
  const works = fresh.find(click => click.by_script && click.is_allowed)
  if (works) return { outcome: 'works', click: works }
  const [newest] = fresh
  if (!newest) return { outcome: 'waiting' }
  return { outcome: newest.by_script ? 'not_allowed' : 'link_only', click: newest }
}

/** The site of a page, as the settings list it: scheme and host. */
export function siteOf(page: string | null): string {
  const url = page !== null && URL.canParse(page) ? new URL(page) : undefined
  return url ? `${url.protocol}//${url.hostname}` : ''
}
