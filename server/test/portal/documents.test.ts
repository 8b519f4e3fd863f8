/** What affiliates carry out of the portal: links, codes for cameras, and statements for their books, right to the last line. */
import { decodeQR } from 'qr/decode.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { pdfPages } from '../../../testing/pdf-text.ts'
import { Unread } from '../../../testing/unread.ts'
import { reviewCommissions } from '../../src/money/commissions/review-commissions.ts'
import { balancesOf } from '../../src/money/ledger/balances.ts'
import { changePortal } from '../../src/programme/portal-settings/change-portal.ts'
import { buildCommission, buildReferral, unique } from '../factories.ts'
import { useScene } from '../harness.ts'
import { approvedAffiliate, earnOne, openCampaign, refund, type Won, winCustomer } from '../ledger/scene.ts'
import { owe } from '../payouts/ground.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
const SCALE = 8

/** The drawing as pixels, and what a camera reads in them. */
function scan(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
  const width = size * SCALE
  const data = new Uint8Array(width * width * 4).fill(255)
  let [x, y] = [0, 0]
  for (const [, kind, dx, dy] of svg.matchAll(/([Mm]) ?(-?\d+) ?(-?\d+)h1v1(?:H\d+|h-1)Z/g)) {
    x = kind === 'M' ? Number(dx) : x + Number(dx)
    y = kind === 'M' ? Number(dy) : y + Number(dy)
    for (let row = y * SCALE; row < (y + 1) * SCALE; row += 1)
      for (let column = x * SCALE; column < (x + 1) * SCALE; column += 1)
        data.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3)
  }
  return decodeQR({ width, height: width, data })
}

describe('links', () => {
  let won: Won
  let jane: PortalBrowser
  beforeAll(async () => {
    won = await winCustomer(scene, { destination_url: 'https://shop.example/start' })
    jane = await PortalBrowser.signIn(scene, won.affiliate.id)
  })
  const draw = (query: { to?: string } = {}) => jane.call('drawLink', { id: won.campaign.id, query })
  const link = () =>
    `https://programme.example/r/${scene.account.slug}/${won.affiliate.token}/${won.campaign.slug}`
  const follow = (address: string) => jane.get(address.slice('https://programme.example'.length))

  it('lead to the campaign’s site, and come with the code', async () => {
    const { coupon_code, data } = await jane.ask('listLinks')
    expect(coupon_code).toBe(won.affiliate.coupon_code)
    expect(data).toMatchObject([{ link: link(), destination_url: 'https://shop.example/start' }])
    const { status, headers } = await follow(data[0].link)
    expect(status).toBe(302)
    expect(headers.get('location')).toMatch(/^https:\/\/shop\.example\/start\?via=.+&click_id=\d+$/)
  })

  it('are read by cameras', async () => {
    const { status, text, headers } = await draw()
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(scan(text)).toBe(link())
  })

  it.each([
    'https://shop.example/shoes?size=42&colour=red#top',
    '/shoes',
    'https://shop.example/schuhe/größe',
  ])('lead to %s, if it is a page of the site', async to => {
    const read = scan((await draw({ to })).text)
    const { headers } = await follow(read)
    const arrived = new URL(headers.get('location') as string)
    const wanted = new URL(to, 'https://shop.example')
    expect([arrived.origin, arrived.pathname, arrived.hash]).toEqual([
      wanted.origin,
      wanted.pathname,
      wanted.hash,
    ])
    expect(arrived.searchParams.get('size')).toBe(wanted.searchParams.get('size'))
  })

  it.each<[name: string, to: string]>([
    ['another site', 'https://evil.example/'],
    ['another site without a scheme', '//evil.example/'],
    ['another site that looks like it', 'https://shop.example@evil.example/'],
    ['another site that begins like it', 'https://shop.example.evil.example/'],
    ['the site without encryption', 'http://shop.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a page with a password', 'https://user:pw@shop.example/'],
    ['a page whose address no code can hold', `/${'ü'.repeat(1000)}`],
    ['a page whose address is too long', 'x'.repeat(1025)],
  ])('never to %s', async (_name, to) => {
    const { status, body } = await draw({ to })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  })

  it('may be as long as the largest code', async () => {
    const room = 2331 - `${link()}?to=%2F`.length
    const to = `/${'ü'.repeat(Math.floor(room / 6))}${'x'.repeat(room % 6)}`
    expect((await draw({ to })).status).toBe(200)
    expect((await draw({ to: `${to}x` })).status).toBe(422)
  })

  it('of a campaign that leads nowhere have no deeper pages', async () => {
    const nowhere = await winCustomer(scene)
    const browser = await PortalBrowser.signIn(scene, nowhere.affiliate.id)
    const ask = (query: object) => browser.call('drawLink', { id: nowhere.campaign.id, query })
    expect((await ask({ to: '/x' })).status).toBe(422)
    expect((await ask({})).status).toBe(200)
  })
})

const print = async (jane: PortalBrowser, query: object = {}) => {
  const { status, headers, body } = await jane.call('printStatement', { query })
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(body.subarray(0, 5).toString()).toBe('%PDF-')
  expect(body.subarray(-6).toString()).toMatch(/%%EOF/)
  return pdfPages(body)
}

describe('the statement as a document', () => {
  it('names the affiliate, matches the ledger, and masks customers', async () => {
    await changePortal(scene.database.db, scene.account.id, scene.app.services.baseUrl, { name: 'Acme Ltd' })
    const won = await winCustomer(scene, { name: 'Spring' })
    const { external_id } = await earnOne(scene, won, 10_000)
    await refund(scene.api, { external_id: unique('r'), sale_external_id: external_id, amount_minor: 5000 })
    await owe(scene, won.campaign, won.affiliate, 123)
    const jane = await PortalBrowser.signIn(scene, won.affiliate.id)
    const [page, ...others] = await print(jane)
    expect(others).toEqual([])
    const [balance] = await balancesOf(scene.database.db, scene.account.id, won.affiliate.id)
    expect(balance?.balance_minor).toBe(1123)
    for (const text of [
      'Statement',
      'Acme Ltd',
      won.affiliate.email,
      'Commission · Spring',
      'Clawback · Spring',
      '20.00 USD',
      '-10.00 USD',
      'Balance (USD)',
      '11.23 USD',
      'Owed',
      'Page 1',
      'All dates in UTC',
    ])
      expect(page?.split('\n')).toContain(text)
    expect(page).not.toContain(won.customer_ref)
    expect(page).not.toContain(external_id)
  })

  it.each([
    ['Own order', 'Commission voided: Own order'],
    [undefined, 'Commission voided'],
  ])('bears the reason of a void if it is shared: %s', async (shared, line) => {
    const won = await winCustomer(scene)
    const { entry, external_id } = await earnOne(scene, won)
    await scene.database.db.transaction(tx =>
      reviewCommissions(tx, scene.account.id, [entry.id], 'void', shared),
    )
    const [page] = await print(await PortalBrowser.signIn(scene, won.affiliate.id))
    expect(page).toContain(line)
    expect(page?.includes('Own order')).toBe(shared !== undefined)
    expect(page).not.toContain(external_id)
  })

  it('as of a day shows what was known then, like the list', async () => {
    const won = await winCustomer(scene)
    await earnOne(scene, won)
    const jane = await PortalBrowser.signIn(scene, won.affiliate.id)
    const [page] = await print(jane, { as_of: '2020-01-01T00:00:00.000Z' })
    expect(page).toContain('No transactions')
    expect(page).toContain('As of Jan 1, 2020')
    const csv = await jane.call('downloadStatement', { query: { as_of: '2020-01-01T00:00:00.000Z' } })
    expect(csv.text.trim().split('\n')).toHaveLength(1)
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="statement.csv"')
  })

  it.each<[name: string, isInTheFont: boolean]>([
    ['Ελένη Παπαδοπούλου', true],
    ['Łukasz Żółć', true],
    ['Мария Кюри', true],
    ['山田太郎', false],
    ['😀 مريم', false],
    ['a\tb', false],
    ['new\nline', false],
    ['W'.repeat(255), false],
  ])('bears the name %j on one page', async (name, isInTheFont) => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    // As it may have been kept before such names were refused.
    const kept = [name.slice(0, 60), campaign.id]
    await scene.database.owner.query('UPDATE campaigns SET name = $1 WHERE id = $2', kept)
    const affiliate = await approvedAffiliate(scene, campaign.id, { name })
    await owe(scene, campaign, affiliate, 100)
    const pages = await print(await PortalBrowser.signIn(scene, affiliate.id))
    expect(pages).toHaveLength(1)
    if (isInTheFont) expect(pages[0]?.split('\n')).toContain(name)
    expect(pages[0]?.split('\n')).toContain('1.00 USD')
  })

  it('of 5,000 lines has them all, each once', async () => {
    const campaign = await openCampaign(scene.database, scene.account.id)
    const affiliate = await approvedAffiliate(scene, campaign.id)
    const place = { account_id: scene.account.id, campaign_id: campaign.id, affiliate_id: affiliate.id }
    const referral_id = await buildReferral(scene.database, place)
    await buildCommission(scene.database, place, { referral_id, amount_minor: 1 })
    await scene.database.owner.query(
      `INSERT INTO commissions (account_id, campaign_id, affiliate_id, referral_id, entry_type, beneficiary, amount_minor, currency,
         payout_amount_minor, payout_currency, status)
       SELECT $1, $2, $3, $4, 'earned', 'affiliate', g, 'USD', g, 'USD', 'approved' FROM generate_series(2, 5000) g`,
      [place.account_id, place.campaign_id, place.affiliate_id, referral_id],
    )
    const jane = await PortalBrowser.signIn(scene, affiliate.id)
    const pages = await print(jane)
    const lines = pages.flatMap(page => page.split('\n'))
    expect(lines.filter(line => line.startsWith('Commission'))).toHaveLength(5000)
    expect(lines.filter(line => /^Page \d+$/.test(line))).toEqual(
      pages.map((_, index) => `Page ${index + 1}`),
    )
    // The sum of 1 to 5,000 cents, after the last line and once more below it.
    expect(lines.filter(line => line === '125025.00 USD')).toHaveLength(2)
    // About two dozen lines to a page: none is left empty.
    expect(pages.length).toBeLessThan(5000 / 20)
    const csv = await jane.call('downloadStatement')
    expect(csv.text.trim().split('\n')).toHaveLength(5001)
    expect(lines.join('\n')).not.toContain('Newest')
  }, 60_000)

  describe('of more lines than a document is good for', () => {
    /** When there were 300 of them. */
    const EARLIER = '2026-01-01T05:00:00.000Z'
    let jane: PortalBrowser
    beforeAll(async () => {
      const campaign = await openCampaign(scene.database, scene.account.id)
      const affiliate = await approvedAffiliate(scene, campaign.id)
      await scene.database.owner.query(
        `INSERT INTO commissions (account_id, campaign_id, affiliate_id, entry_type, beneficiary, amount_minor, currency,
           payout_amount_minor, payout_currency, status, created_at)
         SELECT $1, $2, $3, 'adjustment', 'affiliate', 1, 'USD', 1, 'USD', 'approved', '2026-01-01'::timestamptz + g * interval '1 minute'
           FROM generate_series(1, 7000) g`,
        [scene.account.id, campaign.id, affiliate.id],
      )
      jane = await PortalBrowser.signIn(scene, affiliate.id)
    })

    it('holds the newest, the right balance, and says where the others are', async () => {
      const lines = (await print(jane)).flatMap(page => page.split('\n'))
      expect(lines.filter(line => line.startsWith('Adjustment'))).toHaveLength(5000)
      expect(lines).toContain('Newest 5,000 of 7,000 transactions. Download the CSV for all of them.')
      expect(lines.filter(line => line === '70.00 USD')).toHaveLength(2)
      expect(lines).toContain('20.01 USD')
      expect(lines).not.toContain('20.00 USD')
    }, 60_000)

    it('an earlier day shows what is missing', async () => {
      const lines = (await print(jane, { as_of: EARLIER })).flatMap(page => page.split('\n'))
      expect(lines.filter(line => line.startsWith('Adjustment'))).toHaveLength(300)
      expect(lines.join('\n')).not.toContain('Newest')
    }, 60_000)

    it('lets others be served while it is drawn, and its reader may leave', async () => {
      const path = `/portal/${scene.account.slug}/api/statement.pdf`
      const cookie = [...jane.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const started = Unread.get(scene.app.url, path, { cookie })
      expect(await started.status).toBe(200)
      // The first bytes are there long before the last page is drawn: others are served in between.
      expect((await scene.api.get('/affiliates')).status).toBe(200)
      started.unread.leave()
      // The next request does not wait for abandoned ones, and only one is rendered at a time.
      expect((await print(jane, { as_of: EARLIER })).length).toBeGreaterThan(12)
    }, 60_000)
  })
})
