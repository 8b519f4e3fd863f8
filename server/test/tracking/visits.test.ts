/** What is kept of a visitor: enough to tell robots and one's own clicks, and never the address itself. */

import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { SecretBox } from '../../src/kit/secret-box.ts'
import { sendRaw } from '../raw-http.ts'
import { BROWSER, clickRow, follow, linkOf, useTracking } from './scene.ts'

const scene = useTracking({ TRIBUTARY_TRUST_PROXY: 'true' })
const visit = async (headers: Record<string, string>) =>
  clickRow(scene, (await follow(scene, linkOf(scene), headers)).clickId)
const hashOf = async (address: string): Promise<Buffer | null> =>
  (await visit({ 'x-forwarded-for': address })).address_hash

describe('the address', () => {
  it('is kept as a hash, the same for the same address, another for another', async () => {
    const [first, again, other] = [
      await hashOf('203.0.113.9'),
      await hashOf('203.0.113.9'),
      await hashOf('203.0.113.10'),
    ]
    expect(first).toHaveLength(16)
    expect(again).toEqual(first)
    expect(other).toHaveLength(16)
    expect(other).not.toEqual(first)
  })

  it.each([
    ['203.0.113.9', '::ffff:203.0.113.9'],
    ['203.0.113.9', '::FFFF:cb00:7109'],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1'],
  ])('is the same however it is written: %s, %s', async (one, other) => {
    const hash = await hashOf(one)
    expect(hash).toHaveLength(16)
    expect(await hashOf(other)).toEqual(hash)
  })

  it('is nowhere in the database', async () => {
    await visit({ 'x-forwarded-for': '198.51.100.77' })
    const { rows } = await scene.database.owner.query('SELECT c::text AS row FROM clicks c')
    const kept = rows.map(({ row }) => row).join('\n')
    expect(kept).toContain(BROWSER)
    expect(kept).not.toContain('198.51.100.77')
    // As bytes, and as the digest that can be computed without the key.
    expect(kept).not.toContain('c633644d')
    expect(kept).not.toContain(Buffer.from('198.51.100.77').toString('hex'))
  })

  it.each([
    '10.1.2.3',
    '127.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.1.1',
    '100.64.0.1',
    '::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    'unknown',
    '',
  ])('%s does not identify a visitor, so nothing is stored', async address => {
    expect(await hashOf(address)).toBeNull()
  })

  it.each(['172.15.0.1', '172.32.0.1', '11.0.0.1', '100.128.0.1', '2a00::1'])(
    '%s is a public one',
    async address => {
      expect(await hashOf(address)).toHaveLength(16)
    },
  )

  it('hashes differently under another secret key', async () => {
    const services = {
      ...scene.app.services,
      secrets: new SecretBox('another key altogether, of some length'),
    }
    const app = await buildApp({ services, log: pino({ level: 'silent' }) })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { clickId } = await follow({ app: { ...scene.app, url } }, linkOf(scene), {
      'x-forwarded-for': '203.0.113.9',
    })
    await app.close()
    const { address_hash } = await clickRow(scene, clickId)
    expect(address_hash).toHaveLength(16)
    expect(address_hash).not.toEqual(await hashOf('203.0.113.9'))
  })

  it('is what trusted proxies say, also if each adds the port of the connection that it had', async () => {
    const services = {
      ...scene.app.services,
      settings: { ...scene.app.services.settings, TRIBUTARY_TRUST_PROXY: ['127.0.0.1', '198.51.100.0/24'] },
    }
    const app = await buildApp({ services, log: pino({ level: 'silent' }) })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { clickId } = await follow({ app: { ...scene.app, url } }, linkOf(scene), {
      'x-forwarded-for': '192.0.2.1, 203.0.113.9:41234, 198.51.100.7:4000',
    })
    await app.close()
    expect((await clickRow(scene, clickId)).address_hash).toEqual(await hashOf('203.0.113.9'))
  })

  it('is not believed from a header unless a proxy is trusted', async () => {
    const services = {
      ...scene.app.services,
      settings: { ...scene.app.services.settings, TRIBUTARY_TRUST_PROXY: false as const },
    }
    const app = await buildApp({ services, log: pino({ level: 'silent' }) })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { clickId } = await follow({ app: { ...scene.app, url } }, linkOf(scene), {
      'x-forwarded-for': '203.0.113.9',
    })
    await app.close()
    expect((await clickRow(scene, clickId)).address_hash).toBeNull()
  })
})

describe('robots', () => {
  it.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
    'curl/8.5.0',
    'python-requests/2.32.0',
  ])('%s is marked, and led on', async agent => {
    expect(await visit({ 'user-agent': agent })).toMatchObject({ is_bot: true, user_agent: agent })
  })

  it.each([
    BROWSER,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  ])('%s is a person', async agent => {
    expect(await visit({ 'user-agent': agent })).toMatchObject({ is_bot: false, user_agent: agent })
  })
})

describe('hostile headers', () => {
  /** Sends the header's bytes as they are, and returns the click. */
  async function rawVisit(header: string, bytes: Buffer) {
    const head = Buffer.from(`GET ${linkOf(scene)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}: `)
    const answer = await sendRaw(scene.app.url, Buffer.concat([head, bytes, Buffer.from('\r\n\r\n')]))
    return { status: Number(answer.split(' ')[1]), clickId: Number(/click_id=(\d+)/.exec(answer)?.[1]) }
  }

  it.each(['User-Agent', 'Referer'])('a %s of 10 kB is cut', async header => {
    const { status, clickId } = await rawVisit(header, Buffer.alloc(10_000, 'ü'))
    expect(status).toBe(302)
    const row = await clickRow(scene, clickId)
    expect(header === 'Referer' ? row.referrer.length : row.user_agent.length).toBe(
      header === 'Referer' ? 2048 : 512,
    )
  })

  it.each(['User-Agent', 'Referer'])('a %s that is not UTF-8 is kept as far as it can be', async header => {
    const { status, clickId } = await rawVisit(header, Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x28, 0x62]))
    expect(status).toBe(302)
    const row = await clickRow(scene, clickId)
    expect(header === 'Referer' ? row.referrer : row.user_agent).toMatch(/^a.+b$/)
  })

  it('a NUL in a header is not HTTP, and is rejected', async () => {
    expect((await rawVisit('User-Agent', Buffer.from('a\0b'))).status).toBe(400)
  })

  it('no User-Agent at all is led on', async () => {
    const { status, clickId } = await rawVisit('X-Nothing', Buffer.from('x'))
    expect(status).toBe(302)
    expect((await clickRow(scene, clickId)).user_agent).toBeNull()
  })
})
