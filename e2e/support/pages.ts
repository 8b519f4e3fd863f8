import type { Page } from 'playwright-core'

/** Waits until the page has finished loading. */
export async function loaded(tab: Page): Promise<void> {
  await tab.getByRole('heading', { level: 1 }).waitFor()
  await tab.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' })
}

/**
 * Navigates within the dashboard or the portal like a click: a full load takes three times as long. Goes through a page that does not
 * exist, so that the previous page is never mistaken for the next one; the back button skips it. Loads the page in full if the tab shows
 * something else.
 */
export async function turnTo(tab: Page, address: string): Promise<void> {
  // The dashboard's router notices a change of the history. An event in addition would load the page twice, and the second time could close
  // what a test has just opened. The portal waits for the event.
  const event = address.includes('/portal/') ? `; dispatchEvent(new PopStateEvent('popstate'))` : ''
  const turn = (change: 'pushState' | 'replaceState', to: string) =>
    tab.evaluate(`history.${change}(null, '', ${JSON.stringify(to)})${event}`)
  const nowhere = tab.getByText('Page not found', { exact: true })
  const [, home] = /^(.*\/(?:dashboard|portal)\/[^/]+)/.exec(address) as unknown as [string, string]
  if (!tab.url().startsWith(home)) {
    await tab.goto(address)
    return loaded(tab)
  }
  await turn('pushState', `${home}/nowhere`)
  await nowhere.waitFor()
  await turn('replaceState', address)
  await nowhere.waitFor({ state: 'detached' })
  await loaded(tab)
}
