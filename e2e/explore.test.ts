/** The explorer in a browser: from the navigation to a chart, a filter, the rows behind a number, and the file. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import { obstacles } from './support/obstacles.ts'
import { turnTo } from './support/pages.ts'
import { PERSON, type PortalProgramme, startPortalProgramme } from './support/portal-programme.ts'
import { must } from './support/program.ts'
import { soon } from './support/until.ts'

describeInBrowser('exploring performance', () => {
  let acme: PortalProgramme
  let janeId: number
  beforeAll(async () => {
    acme = await startPortalProgramme()
    janeId = await acme.affiliate('jane', { name: 'Jane Porter' })
    await acme.affiliate('lee', { name: 'Lee' })
    await acme.affiliate('kim', { name: 'Kim' })
    for (const [token, customer] of [
      ['jane', 'c-1'],
      ['jane', 'c-2'],
      ['kim', 'c-3'],
    ] as const)
      await acme.client.conversions.create({
        campaign_id: acme.partners,
        customer_ref: customer,
        token,
        sale: { external_id: customer, amount_minor: 10_000, currency: 'USD' },
      })
    for (const token of ['jane', 'lee'])
      await fetch(`${acme.service.url}/r/${acme.slug}/${token}/partners`, {
        headers: { 'user-agent': PERSON.userAgent, referer: 'https://blog.example/a-post' },
        redirect: 'manual',
      })
  })
  afterAll(() => acme?.close())

  test('charts, filters, rows and file', async () => {
    const { tab } = acme.owner
    const page = (path: string) => `${acme.service.url}/dashboard/${acme.slug}/${path}`
    await tab.goto(page('overview'))
    await tab.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Explore' }).click()
    await tab.waitForURL(page('explore'))

    await tab.getByRole('region', { name: 'Unique clicks' }).getByText('2', { exact: true }).waitFor()
    // A chart by day has every day of the range, its tooltip follows the arrow keys, and today is unfinished.
    const chart = tab.getByRole('region', { name: 'Clicks and conversions' })
    await chart.locator('.recharts-surface').first().waitFor()
    await chart.locator('.recharts-surface[tabindex="0"]').last().focus()
    await soon(async () => {
      await tab.keyboard.press('ArrowRight')
      return (await chart.getByText('(so far)').count()) > 0 || undefined
    })
    expect(await obstacles(tab)).toEqual([])

    // The legend draws its lines as the chart does, so that they differ without colours.
    const amounts = tab.getByRole('region', { name: /^Revenue and commissions/ })
    const dashes = (lines: string) =>
      amounts.locator(lines).evaluateAll(found => found.map(line => line.getAttribute('stroke-dasharray')))
    await amounts.locator('.recharts-legend-wrapper svg').first().waitFor()
    expect(await dashes('.recharts-legend-wrapper line')).toEqual([null, '6 3'])
    expect(await dashes('.recharts-area-curve')).toEqual([null, '6 3'])

    // A row filters.
    await turnTo(tab, page('explore?by=affiliate'))
    const jane = tab.getByRole('row', { name: /Jane Porter/ })
    expect(await jane.getByRole('link', { name: '2', exact: true }).getAttribute('title')).toBe(
      'View these referrals',
    )
    const saved = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Export CSV' }).click()
    expect((await saved).suggestedFilename()).toBe('performance.csv')
    await jane.getByRole('button', { name: 'Jane Porter' }).click()
    await soon(async () => tab.url().includes(`affiliate_id=${janeId}`) || undefined)

    // So does a source, which can be broken down by its affiliates.
    await tab.goto(page('explore?by=referrer&sort=clicks'))
    await tab.getByRole('button', { name: 'blog.example' }).click()
    await soon(async () => tab.url().includes('source_value=blog.example') || undefined)
    await tab.getByRole('region', { name: 'Clicks', exact: true }).getByText('2', { exact: true }).waitFor()
    await tab
      .getByRole('region', { name: 'Active affiliates' })
      .getByText('Break down by affiliate')
      .waitFor()
    await tab.getByRole('combobox', { name: 'Break down by' }).click()
    // The open list scrolls, and assistive technology reaches it all.
    const options = tab.getByRole('listbox', { name: 'Break down by' })
    expect(await options.evaluate(list => list.scrollHeight > list.clientHeight)).toBe(true)
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('option', { name: 'Affiliate', exact: true }).click()
    await tab.getByRole('columnheader', { name: 'Affiliate', exact: true }).waitFor()
    const size = tab.viewportSize() as { width: number; height: number }
    await tab.setViewportSize({ ...size, width: 1400 })
    for (const name of ['Average order', 'Refund rate', 'Commission share'])
      await tab.getByRole('columnheader', { name, exact: true }).waitFor()
    await tab.setViewportSize(size)
    await tab.getByText('as long as they’re stored').waitFor()
    await tab.getByRole('region', { name: 'Active affiliates' }).getByText('2', { exact: true }).waitFor()
    await tab.getByRole('button', { name: 'Jane Porter' }).click()
    await soon(async () => tab.url().includes(`affiliate_id=${janeId}`) || undefined)
    expect(tab.url()).toContain('source_value=blog.example')
    await tab.getByRole('region', { name: 'Clicks', exact: true }).getByText('1', { exact: true }).waitFor()
    await tab.getByRole('combobox', { name: 'Break down by' }).click()
    await tab.getByRole('option', { name: 'Week', exact: true }).click()
    await tab.getByRole('columnheader', { name: 'Week', exact: true }).waitFor()
    expect(await obstacles(tab)).toEqual([])
    await tab.getByRole('button', { name: 'Clear Referrer: blog.example' }).click()
    await soon(async () => !tab.url().includes('source') || undefined)
    await tab.goto(page(`explore?affiliate_id=${janeId}`))

    // A number leads to its rows.
    await tab
      .getByRole('row', { name: /^Total/ })
      .getByRole('link', { name: '2', exact: true })
      .click()
    await tab.getByText('2 results').waitFor()
    await tab.getByText('Counted in Explore').waitFor()
    for (const [list, results] of [
      ['commissions', '2 results'],
      ['sales', '2 results'],
      ['clicks', '1 result'],
    ] as const) {
      await tab.goBack()
      await tab
        .getByRole('row', { name: /^Total/ })
        .getByTitle(`View these ${list}`)
        .click()
      await tab.getByText(results, { exact: true }).waitFor()
      expect(new URL(tab.url()).pathname.split('/').at(-1)).toBe(list)
    }
    // A list begins with what is counted; without that filter, each sale has its status.
    const views = tab.getByRole('navigation', { name: 'Explore' })
    await views.getByRole('link', { name: 'Sales' }).click()
    await tab.getByRole('table', { name: 'Sales' }).waitFor()
    await tab.getByRole('button', { name: 'Clear Counted in Explore' }).click()
    await tab.getByRole('columnheader', { name: 'In reports' }).waitFor()
    expect(await tab.getByRole('cell', { name: 'Counted', exact: true }).count()).toBeGreaterThan(0)
    // A list without a match offers to clear its filters.
    await turnTo(tab, page('explore/sales?is_counted=true&until=2020-01-01'))
    await tab.getByText('No matching sales').waitFor()
    await tab.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click()
    await tab.getByText('3 results').waitFor()
    // Of a source, too.
    await turnTo(tab, page('explore?by=referrer'))
    await tab
      .getByRole('row', { name: /blog.example/ })
      .getByTitle('View these clicks')
      .click()
    await tab.getByText('2 results').waitFor()
    await tab.getByText('Referrer: blog.example').waitFor()

    // The page of an affiliate has their figures, and leads on to the explorer.
    await turnTo(tab, page(`affiliates/${janeId}`))
    const performance = tab.locator('section', { hasText: 'Last 30 days' })
    await performance.getByText('$200.00').waitFor()
    await performance.getByRole('link', { name: 'Explore performance' }).click()
    await tab.waitForURL(page(`explore?affiliate_id=${janeId}`))

    // That of a campaign has its links too, each with what it brings.
    await turnTo(tab, page(`campaigns/${acme.partners}`))
    const links = tab.locator('section', { hasText: 'Top links' })
    await links
      .getByRole('listitem')
      .filter({ hasText: 'Lee' })
      .getByText('1 click · 0 conversions')
      .waitFor()
    expect(await links.getByRole('listitem').count()).toBe(2)
    await links.getByRole('link', { name: 'View all links' }).waitFor()
    await links.getByRole('link', { name: /^Jane Porter/ }).click()
    await tab.getByRole('region', { name: 'Clicks', exact: true }).getByText('1', { exact: true }).waitFor()
  })

  test('a breakdown sorts by a ratio, a range has presets, and both are compared', async () => {
    const { tab } = acme.owner
    await turnTo(tab, `${acme.service.url}/dashboard/${acme.slug}/explore?by=affiliate`)
    const rows = tab.getByRole('table', { name: 'Explore' }).getByRole('row')
    const inOrder = async (...names: string[]) => {
      for (const [index, name] of names.entries())
        await rows
          .nth(index + 1)
          .getByText(name, { exact: true })
          .waitFor()
    }
    await inOrder('Jane Porter', 'Kim', 'Lee')
    // Kim has no clicks, so no ratio to them.
    for (const [name, sort] of [
      ['Earnings per click', 'commission_per_click'],
      ['Conversion rate', 'conversion_rate'],
    ] as const) {
      const head = tab.getByRole('columnheader', { name })
      await head.getByRole('button').click()
      await inOrder('Jane Porter', 'Lee', 'Kim')
      expect([await head.getAttribute('aria-sort'), new URL(tab.url()).search]).toEqual([
        'descending',
        `?by=affiliate&sort=${sort}`,
      ])
    }
    await tab.getByRole('combobox', { name: 'Range' }).click()
    await tab.getByRole('option', { name: 'Today', exact: true }).click()
    await tab.waitForURL(/from=/)
    await tab.getByText(/^Compared with (.+) to \1\. Today isn't over yet/).waitFor()
    const [day] = /from=([\d-]{10})/.exec(tab.url())?.slice(1) ?? []
    const lastYear = Number(day?.slice(0, 4)) - 1
    await tab.getByRole('combobox', { name: 'Compare with' }).click()
    await tab.getByRole('option', { name: 'Prior year' }).click()
    await tab.getByText(new RegExp(`^Compared with \\w+ \\d+, ${lastYear} to`)).waitFor()
    expect(await tab.getByRole('combobox', { name: 'Range' }).inputValue()).toBe('Today')
  })

  test('the charts of the overview can be read as tables, and its numbers lead to their rows', async () => {
    const { tab } = acme.owner
    const overview = `${acme.service.url}/dashboard/${acme.slug}/overview`
    await turnTo(tab, overview)
    const charts = tab.getByRole('switch', { name: 'View as table' })
    await expect.poll(() => charts.count()).toBe(2)
    for (const chart of await charts.all()) await chart.click()
    const [money, traffic] = [tab.getByRole('table').filter({ hasText: '$300.00' }), 'Clicks and conversions']
    await money.waitFor()
    await tab
      .getByRole('table', { name: traffic })
      .getByRole('row')
      .last()
      .getByRole('cell', { name: '3', exact: true })
      .waitFor()
    expect(await obstacles(tab)).toEqual([])

    // Its numbers lead to their rows, like those of Explore.
    for (const [from, place, title, results] of [
      [overview, 'Revenue', 'View these sales', '3 results'],
      [overview, 'Top affiliates', 'View these commissions', '2 results'],
      [overview.replace('overview', 'explore'), 'Clicks', 'View these clicks', '2 results'],
    ] as const) {
      await turnTo(tab, from)
      await tab.getByRole('region', { name: place, exact: true }).getByTitle(title).first().click()
      await tab.getByText(results, { exact: true }).waitFor()
    }
  })

  test('the lists have metrics, and are sorted by a click or a key', async () => {
    const { tab } = acme.owner
    const address = `${acme.service.url}/dashboard/${acme.slug}`
    await turnTo(tab, `${address}/affiliates`)
    const rows = tab.getByRole('table', { name: 'Affiliates' }).getByRole('row')
    const firstIs = (name: string) => rows.nth(1).getByRole('link', { name }).waitFor()
    await firstIs('Kim')
    const revenue = tab.getByRole('columnheader', { name: 'Revenue' })
    await revenue.getByRole('button').focus()
    await tab.keyboard.press('Enter')
    await firstIs('Jane Porter')
    expect(await revenue.getAttribute('aria-sort')).toBe('descending')
    expect(await tab.locator('th[aria-sort]').count()).toBe(1)
    await rows.nth(1).getByText('$200.00').waitFor()
    await tab.getByText(/^Metrics from /).waitFor()
    // Clicks without a conversion are none, not unknown.
    await tab.getByRole('row', { name: /Lee/ }).getByText('0', { exact: true }).waitFor()

    // The URL keeps order and range, and the file follows them.
    await tab.getByRole('combobox', { name: 'Range' }).click()
    await tab.getByRole('option', { name: 'Yesterday' }).click()
    await tab.waitForURL(/\?sort=revenue&period=yesterday$/)
    await firstIs('Kim')
    const file = await tab.getByRole('link', { name: 'Export CSV' }).getAttribute('href')
    expect(file).toMatch(/period=yesterday&sort=revenue/)
    await tab.reload()
    expect(await revenue.getAttribute('aria-sort')).toBe('descending')
    await revenue.getByRole('button').click()
    await soon(async () => !tab.url().includes('sort') || undefined)

    await turnTo(tab, `${address}/campaigns`)
    const clicks = tab.getByRole('columnheader', { name: 'Conversions' })
    await clicks.getByRole('button').click()
    await tab
      .getByRole('table', { name: 'Campaigns' })
      .getByRole('row')
      .nth(1)
      .getByRole('link', { name: 'Partners' })
      .waitFor()
    expect(await obstacles(tab)).toEqual([])
  })

  test('amounts in a reporting currency say by keyboard what they were, and lead to their rows', async () => {
    const { tab } = acme.owner
    const address = `${acme.service.url}/dashboard/${acme.slug}`
    // No other programme of the service reports in it.
    await must(['fx', 'set', '--from', 'USD', '--to', 'ISK', '--rate', '140'], acme.service.env)
    await acme.manage('PATCH', 'account', { reporting_currency: 'ISK' })
    for (const page of ['overview', 'explore']) {
      await turnTo(tab, `${address}/${page}`)
      const revenue = tab.getByRole('region', { name: 'Revenue', exact: true })
      const figure = revenue.getByRole('link', { name: 'ISK 42,000' })
      await figure.waitFor()
      await tab.keyboard.press('Tab')
      await figure.focus()
      const tooltip = tab.getByRole('tooltip', { name: 'Original revenue: $300.00' })
      await tooltip.waitFor()
      expect(await figure.getAttribute('aria-describedby')).toBe(await tooltip.getAttribute('id'))
      expect(await obstacles(tab)).toEqual([])
      await tab.keyboard.press('Enter')
      await tab.getByText('3 results', { exact: true }).waitFor()
    }
    // What is computed from an amount names it too.
    await turnTo(tab, `${address}/explore`)
    const average = tab
      .getByRole('region', { name: 'Average order' })
      .getByText('ISK 14,000', { exact: true })
    await average.waitFor()
    await tab.keyboard.press('Tab')
    await average.focus()
    await tab.getByRole('tooltip', { name: 'Original revenue: $300.00' }).waitFor()
  })
})
