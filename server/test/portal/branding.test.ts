/** Protects a company's name: its portal looks as it says, under its own domain, and no other account can take or reach it. */
import { may, type PortalSettings, roles } from '@tributary/contract/dashboard'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Person } from '../dashboard/person.ts'
import { buildAccount, type TestAccount } from '../factories.ts'
import { useScene } from '../harness.ts'
import { PortalBrowser } from './affiliate.ts'

const scene = useScene({ TRIBUTARY_TRUST_PROXY: 'true' })
let account: TestAccount
let owner: Person
let rival: Person
beforeAll(async () => {
  rival = await Person.join(scene.app, (await buildAccount(scene.database)).id, 'owner')
})
beforeEach(async () => {
  account = await buildAccount(scene.database)
  owner = await Person.join(scene.app, account.id, 'owner')
})
const update = (body: Record<string, unknown>, by = owner) => by.call('updatePortal', { body })
const shown = async (): Promise<PortalSettings> => (await owner.call('getPortal')).body
const page = (path = '') => new PortalBrowser(scene.app, account.slug).get(`/portal/${account.slug}${path}`)

describe('the look', () => {
  it('begins plain, changes field by field, and can be cleared', async () => {
    const plain = {
      name: null,
      account_name: account.slug,
      colour: '#12755c',
      domain: null,
      terms_url: null,
      frame_origins: [],
      customers_shown: 'masked',
      leaderboard: null,
      leaderboard_numbers: false,
      silent_mails: [],
      logo: null,
      address: `https://programme.example/portal/${account.slug}`,
    }
    expect(await shown()).toEqual(plain)
    const changes = {
      name: 'Acme',
      colour: '#FFAA00',
      terms_url: 'https://acme.example/terms',
      frame_origins: ['https://app.acme.example', 'https://app.acme.example/'],
      customers_shown: 'hidden',
      leaderboard: 'conversions',
      leaderboard_numbers: true,
      silent_mails: ['joined', 'rejected'],
    }
    const changed = { ...plain, ...changes, colour: '#ffaa00', frame_origins: ['https://app.acme.example'] }
    expect((await update(changes)).body).toEqual(changed)
    expect((await update({ customers_shown: 'full' })).body).toEqual({ ...changed, customers_shown: 'full' })
    const cleared = { name: null, terms_url: null, frame_origins: [], silent_mails: [], leaderboard: null }
    expect((await update(cleared)).body).toEqual({
      ...plain,
      colour: '#ffaa00',
      customers_shown: 'full',
      leaderboard_numbers: true,
    })
  })

  it('is in the page, with the campaigns that are open', async () => {
    await update({ name: 'Acme & <Co>', colour: '#ffaa00', terms_url: 'https://acme.example/terms' })
    const { status, text } = await page('/anything/at/all')
    expect(status).toBe(200)
    expect(text).toContain('<title>Acme &amp; &lt;Co&gt;</title>')
    const [, data = ''] = /<script[^>]*type="application\/json"[^>]*>(.*?)<\/script>/s.exec(text) ?? []
    expect(JSON.parse(data)).toEqual({
      base: `/portal/${account.slug}`,
      name: 'Acme & <Co>',
      colour: '#ffaa00',
      logo: null,
      terms_url: 'https://acme.example/terms',
      mails_links: true,
      sends_emails: false,
      campaigns: [],
      invited: null,
    })
    await update({ silent_mails: ['sign_in_link'] })
    expect((await page()).text).toContain('"mails_links":false')
  })

  it.each<[field: keyof PortalSettings, values: unknown[]]>([
    ['colour', ['red', '#fff', '#12345g', '#1234567', 'url(x)', '#ffffff;}', null]],
    ['name', ['', 'x'.repeat(101), 5, 'a\0b']],
    ['terms_url', ['javascript:alert(1)', 'acme.example', 'https://a b', '', 'x'.repeat(2050)]],
    ['customers_shown', ['none', null]],
    ['leaderboard', ['luck', '']],
    ['leaderboard_numbers', ['yes', null]],
    ['silent_mails', [['nothing'], ['joined', 'joined'], 'joined']],
    [
      'frame_origins',
      [
        ['https://acme.example/path'],
        ['https://acme.example?x'],
        ['https://acme.example#x'],
        ['https://user@acme.example'],
        ['ftp://acme.example'],
        ['javascript:alert(1)'],
        ['*'],
        ['https://*'],
        ['https://'],
        ['null'],
        // Each would end the rule and begin another.
        ['https://acme.example;sandbox'],
        ['https://acme.example;script-src', 'https://evil.example'],
        ['https://acme.example,evil.example'],
        ["https://'none'"],
        Array.from({ length: 21 }, (_, index) => `https://a${index}.example`),
      ],
    ],
    [
      'domain',
      [
        '',
        'localhost',
        'acme',
        'https://partners.acme.example',
        'partners.acme.example/path',
        'partners.acme.example:8443',
        'partners.acme.example#top',
        'partners.acme.example?x=1',
        'user@partners.acme.example',
        '*.acme.example',
        '127.0.0.1',
        '[::1]',
        '2130706433',
        'a_b.acme.example',
        'partners..acme.example',
        `${'a.'.repeat(130)}example`,
        'programme.example',
        'PROGRAMME.example',
        'programme.example.',
      ],
    ],
  ])('%s is refused where it is none', async (field, values) => {
    for (const value of values) {
      const { status, body } = await update({ [field]: value })
      expect([value, status, body.error?.code]).toEqual([value, 422, 'validation_failed'])
    }
    expect((await shown())[field]).toEqual(
      {
        colour: '#12755c',
        customers_shown: 'masked',
        leaderboard_numbers: false,
        silent_mails: [],
        frame_origins: [],
      }[field as string] ?? null,
    )
  })

  it('frames may be of any port and of a name with an umlaut', async () => {
    const frame_origins = ['http://localhost:3000', 'https://bücher.example', 'https://192.0.2.7:8443']
    expect((await update({ frame_origins })).body.frame_origins).toEqual([
      'http://localhost:3000',
      'https://xn--bcher-kva.example',
      'https://192.0.2.7:8443',
    ])
  })

  it("is changed by users with the permission only, and never by another account's users", async () => {
    for (const role of roles) {
      const person = await Person.join(scene.app, account.id, role)
      expect([role, (await person.call('getPortal')).status]).toEqual([role, 200])
      const status = may(role, 'settings') ? 200 : 403
      expect([role, (await update({ name: role }, person)).status]).toEqual([role, status])
      expect((await person.call('removeLogo')).status).toBe(status)
    }
    const { name } = await shown()
    expect(['owner', 'admin']).toContain(name)
    expect((await update({ name: 'Mallory' }, rival.at(account.id))).status).toBe(404)
    expect((await shown()).name).toBe(name)
  })
})

describe('a domain', () => {
  it('belongs to one account at a time', async () => {
    const domain = `p${account.id}.acme.example`
    expect((await update({ domain: ` ${domain.toUpperCase()} ` })).body).toMatchObject({
      domain,
      address: `https://${domain}`,
    })
    const taken = await update({ domain, name: 'Mallory' }, rival)
    expect([taken.status, taken.body.error.code]).toEqual([409, 'conflict'])
    // All or nothing.
    expect((await rival.call('getPortal')).body.name).toBeNull()
    expect((await update({ domain })).status).toBe(200)
    expect((await update({ domain: null })).body.domain).toBeNull()
    expect((await update({ domain }, rival)).status).toBe(200)
    await update({ domain: null }, rival)
  })

  it('may be written with letters of any language', async () => {
    const { body } = await update({ domain: 'partner.bücher.example' })
    expect(body.domain).toBe('partner.xn--bcher-kva.example')
  })

  it('is as long as DNS allows at most, as browsers send it', async () => {
    const longest = `${'ü.'.repeat(30)}${'a'.repeat(5)}.example`
    expect((await update({ domain: longest })).body.domain).toHaveLength(253)
    for (const domain of [`a${longest}`, `${'ü.'.repeat(80)}example`]) {
      const { status, body } = await update({ domain })
      expect([status, body.error.message]).toEqual([
        422,
        'domain must have at most 253 characters in its ASCII form.',
      ])
    }
    await update({ domain: null })
  })
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const setLogo = (bytes: Buffer | string) =>
  owner.call('setLogo', { body: { logo: Buffer.from(bytes).toString('base64') } })

describe('a logo', () => {
  it.each<[type: string, bytes: Buffer | string]>([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])],
    ['image/webp', Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WEBPVP8 ')])],
    ['image/svg+xml', SVG],
    ['image/svg+xml', `\uFEFF<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg PUBLIC "x" "y">\n${SVG}`],
    ['image/png', Buffer.concat([PNG, Buffer.alloc(256 * 1024 - PNG.length)])],
  ])('of the type %s is shown as what it is, and can do nothing', async (type, bytes) => {
    const set = await setLogo(bytes)
    expect(set.status).toBe(200)
    expect(set.body.logo).toMatch(new RegExp(`^/portal/${account.slug}/logo/\\w{12}$`))
    const { status, headers, body } = await new PortalBrowser(scene.app, account.slug).get(set.body.logo)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(body).toEqual(Buffer.from(bytes))
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect((await page()).text).toContain(`"logo":"${set.body.logo}"`)
    expect((await page('/enter/x')).text).toContain(`<img src="${set.body.logo}"`)
  })

  it.each<[name: string, bytes: Buffer | string]>([
    ['a page', '<!doctype html><html><script>alert(1)</script></html>'],
    ['a page that holds a drawing', '<html><svg></svg></html>'],
    ['a page behind a comment', '<!-- x --><html><svg></svg></html>'],
    ['a script', 'alert(1)'],
    ['a moving picture', 'GIF89a'],
    ['one byte too many', Buffer.concat([PNG, Buffer.alloc(256 * 1024 - PNG.length + 1)])],
    ['something very large', Buffer.concat([PNG, Buffer.alloc(400_000)])],
    ['text that is no base 64', Buffer.alloc(0)],
  ])('is refused where it is %s', async (_name, bytes) => {
    expect((await setLogo(bytes)).status).toBe(422)
    expect((await shown()).logo).toBeNull()
  })

  it('is recognised in linear time, however many comments precede it', async () => {
    const comments = '<!---->'.repeat(28)
    // An expression that goes back over each comment would take hours.
    const began = performance.now()
    expect((await setLogo(`${comments}<html></html>`)).status).toBe(422)
    expect(performance.now() - began).toBeLessThan(20_000)
    expect((await setLogo(`${comments}${SVG}`)).status).toBe(200)
  })

  it('has a name that changes with it, and goes', async () => {
    const first = (await setLogo(PNG)).body.logo
    const second = (await setLogo(SVG)).body.logo
    expect(second).not.toBe(first)
    expect((await owner.call('removeLogo')).body.logo).toBeNull()
    expect((await new PortalBrowser(scene.app, account.slug).get(second)).status).toBe(404)
    for (const bad of ['', '!!!', 'a b']) {
      const { status } = await owner.call('setLogo', { body: { logo: bad } })
      expect(status).toBe(422)
    }
  })
})
