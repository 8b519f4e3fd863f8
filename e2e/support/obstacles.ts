import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules about colours only; all others have the same result in every theme. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

interface Violation {
  id: string
  impact: string
  nodes: { html: string }[]
}

/** What is shown until the next answer is faded, and a dialog gets its name a moment after it is shown. */
const UNFINISHED = '[aria-busy="true"], [aria-modal="true"]:not([aria-label], [aria-labelledby])'

/** The axe violations of a page, by all rules or some. Evaluated, because the page's CSP blocks other scripts. */
export async function violations(tab: Page, rules?: string[]): Promise<Violation[]> {
  await tab.locator(UNFINISHED).first().waitFor({ state: 'detached' })
  if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(axe)
  return tab.evaluate(
    async options =>
      (
        await (
          globalThis as never as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
        ).axe.run(options)
      ).violations,
    {
      // Neither changes the violations: passes are not reported, and none of our rules needs preloaded assets.
      resultTypes: ['violations'],
      preload: false,
      ...(rules && { runOnly: { type: 'rule', values: rules } }),
    },
  )
}

export const inWords = (found: Violation[]): string[] =>
  found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)

/** The axe violations that block users, or leave a gap in the heading structure. */
export const obstacles = async (tab: Page, rules?: string[]): Promise<string[]> =>
  inWords(
    (await violations(tab, rules)).filter(
      ({ id, impact }) => ['serious', 'critical'].includes(impact) || id === 'heading-order',
    ),
  )
