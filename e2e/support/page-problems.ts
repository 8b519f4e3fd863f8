import type { Page } from 'playwright-core'

/** How a page detects that no one is signed in. */
const isSessionProbe = (url: string) => /\/api\/(me|session)$/.test(new URL(url).pathname)

/** Boxes that scroll sideways but can't be focused: they need a tab stop with a name, or a focusable element inside. */
const UNREACHABLE = `[...document.querySelectorAll('pre, div')]
  .filter(box => box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX))
  .filter(box => !box.querySelector('a[href], button, input, [tabindex="0"]'))
  .filter(box => box.tabIndex < 0 || !box.getAttribute('aria-label') || !box.getAttribute('role'))
  .map(box => box.outerHTML.slice(0, 80))`

/**
 * Records from now on what the tab's pages fail to load and what they write to the console. The current page itself may be unknown to the
 * server; its address is known before the tab has it.
 */
export function watchProblems(tab: Page, currentAddress = () => tab.url()): string[] {
  const problems: string[] = []
  const note = (what: string) => problems.push(`${currentAddress()}: ${what}`)
  const isExpected = (url: string) => url === currentAddress() || isSessionProbe(url)
  tab.on('console', message => {
    const { url } = message.location()
    if (['error', 'warning'].includes(message.type()) && !(url && isExpected(url)))
      note(`${message.type()} ${message.text()} ${url}`)
  })
  tab.on('pageerror', error => note(error.message))
  tab.on('requestfailed', request => {
    // Leaving a page aborts its pending requests.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') note(`did not load ${request.url()}`)
  })
  tab.on('response', response => {
    if (response.status() >= 400 && !isExpected(response.url()))
      note(`${response.url()} returned ${response.status()}`)
  })
  return problems
}

export const sidewaysScroll = (tab: Page): Promise<number> =>
  tab.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** What scrolls sideways but can't be reached by keyboard. */
export const unreachableBoxes = (tab: Page): Promise<string[]> => tab.evaluate(UNREACHABLE)

/** Whether an address returns a page with an icon. */
export async function isServed(address: string): Promise<boolean> {
  const answer = await fetch(address)
  return answer.ok && /<link rel="icon"/.test(await answer.text())
}
