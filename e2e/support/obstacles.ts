import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that are about colours alone; all others find the same in every theme. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

interface Violation {
  id: string
  impact: string
  nodes: { html: string }[]
}

/** What axe finds wrong with a page, by all rules or some. Evaluated, not loaded: the page's own policy lets no other script in. */
export async function violations(tab: Page, rules?: string[]): Promise<Violation[]> {
  if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(axe)
  return tab.evaluate(
    async options =>
      (
        await (
          globalThis as never as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
        ).axe.run(options)
      ).violations,
    {
      // Neither changes what is found: what passes is not described, and no rule that we run needs other files to be read again.
      resultTypes: ['violations'],
      preload: false,
      ...(rules && { runOnly: { type: 'rule', values: rules } }),
    },
  )
}

export const inWords = (found: Violation[]): string[] =>
  found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)

/** What axe finds that keeps people out, or leaves a gap in the headings that they go by. */
export const obstacles = async (tab: Page): Promise<string[]> =>
  inWords(
    (await violations(tab)).filter(
      ({ id, impact }) => ['serious', 'critical'].includes(impact) || id === 'heading-order',
    ),
  )
