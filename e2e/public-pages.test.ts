/**
 * Protects the pages that need no sign-in, on a phone: nothing fails to load, the console stays silent, nothing overflows, everything is
 * reachable by keyboard. `dashboard-look` and `portal-look` check the same of the others.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, newVisitor } from './support/browser.ts'
import { sidewaysScroll, unreachableBoxes, watchProblems } from './support/page-problems.ts'
import { type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { soon } from './support/until.ts'

const PHONE = { viewport: { width: 390, height: 844 } }

describeInBrowser('every public page', () => {
  let acme: PortalProgramme

  /** Opens the pages one after the other in one tab. Returns its problems, those of later pages included. */
  async function check(
    tab: Page,
    paths: string[],
    settle: (tab: Page) => Promise<unknown>,
  ): Promise<string[]> {
    let address = ''
    const problems = watchProblems(tab, () => address)
    for (const path of paths) {
      address = acme.service.url + path
      await tab.goto(address)
      await settle(tab)
      const overflow = await sidewaysScroll(tab)
      if (overflow !== 0) problems.push(`${path}: overflows by ${overflow} px`)
      for (const box of await unreachableBoxes(tab))
        problems.push(`${path}: can't be reached by keyboard: ${box}`)
      if ((await tab.locator('link[rel=icon]').count()) !== 1) problems.push(`${path}: has no icon`)
    }
    return problems
  }
  const loaded = (tab: Page) => tab.getByRole('heading').first().waitFor()
  const settled = async (tab: Page) => {
    await loaded(tab)
    await soon(async () => (await tab.getByLabel('Loading').count()) === 0)
    await tab.waitForLoadState('networkidle')
  }

  beforeAll(async () => {
    acme = await startPortalProgramme()
  })
  afterAll(() => acme?.close())

  test('of the documentation, and unknown ones', async () => {
    const index = await (await fetch(`${acme.service.url}/docs`)).text()
    const guides = [...index.matchAll(/href="(\/docs\/[a-z-]+)"/g)].map(([, path]) => path as string)
    const { tab } = await newVisitor(PHONE)
    const paths = ['/docs', ...new Set(guides), '/docs/search?q=refund', '/docs/none', '/docs/none/a/b']
    expect(paths.length).toBeGreaterThan(18)
    const unknown = ['/unknown', '/portal/unknown', '/r/unknown/jane']
    const problems = await check(tab, [...paths, ...unknown], loaded)
    expect(problems).toEqual([])

    await tab.goto(`${acme.service.url}/docs/reference`)
    const request = tab.locator('figure.samples').first()
    await request.getByText('Python', { exact: true }).click()
    await expect.poll(() => request.locator('details[open]').count()).toBe(1)
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    // It is shown for a moment only.
    await Promise.all([
      request.getByRole('button', { name: 'Copied' }).waitFor(),
      request.locator('details[open]').getByRole('button', { name: 'Copy' }).click(),
    ])
    expect(await tab.evaluate('navigator.clipboard.readText()')).toMatch(/^import os\nimport requests\n/)
    await tab.getByRole('searchbox').pressSequentially('create aff')
    const found = tab.getByRole('region', { name: 'Search results' })
    await found.getByRole('link', { name: 'Create affiliate' }).click()
    await tab.waitForURL(/\/docs\/reference#operation-createAffiliate$/)
    expect(problems).toEqual([])
  })

  test('of the portal', async () => {
    const { tab } = await newVisitor(PHONE)
    const at = (page: string) => `/portal/${acme.slug}${page}`
    expect(
      await check(tab, ['/portal', at('/sign-in'), at('/join'), at('/sign-in/unknown')], settled),
    ).toEqual([])
  })
})
