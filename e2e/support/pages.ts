import type { Page } from 'playwright-core'

/** Until nothing of the page is still on its way. */
export async function loaded(tab: Page): Promise<void> {
  await tab.getByRole('heading', { level: 1 }).waitFor()
  await tab.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' })
}

/**
 * From page to page of the dashboard or the portal as a click does it: loading either anew takes three times as long. By way of a page
 * that does not exist, so that the page before is never taken for the next one.
 */
export async function turnTo(tab: Page, address: string): Promise<void> {
  const turn = (to: string) =>
    tab.evaluate(
      `history.pushState(null, '', ${JSON.stringify(to)}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
  const nowhere = tab.getByText('Page not found', { exact: true })
  const [, home] = /^(.*\/(?:dashboard|portal)\/[^/]+)/.exec(address) as unknown as [string, string]
  await turn(`${home}/nowhere`)
  await nowhere.waitFor()
  await turn(address)
  await nowhere.waitFor({ state: 'detached' })
  await loaded(tab)
}
