/** The tracker's beacon ties a visitor to a click, and refuses everything that names none. */
import { beforeAll, describe, expect, it } from 'vitest'
import { adoptClick } from '../../src/earning/tracking/click.store.ts'
import { buildAccount, buildAffiliate, buildCampaign, unique } from '../factories.ts'
import { whileHeld } from '../interleave.ts'
import {
  BROWSER,
  beacon,
  clickRow,
  countClicks,
  DESTINATION,
  errorOf,
  follow,
  linkOf,
  useTracking,
} from './scene.ts'

const DAY_SECONDS = 86_400
const scene = useTracking({ TRIBUTARY_TRUST_PROXY: 'true' })
const visitor = () => unique('visitor-0123456789')
const base = () => ({ account: scene.account.slug, visitor_id: visitor() })

describe('a token', () => {
  it('records a click of this visitor, for as long as the campaign says', async () => {
    const sent = {
      ...base(),
      token: scene.affiliate.token,
      url: 'https://shop.example/?via=x',
      referrer: 'https://blog.example/',
    }
    const { status, headers, body } = await beacon(scene, sent)
    expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
    expect(body).toEqual({ click_id: expect.any(Number), expires_in: 60 * DAY_SECONDS })
    expect(await clickRow(scene, body.click_id)).toMatchObject({
      campaign_id: String(scene.campaign.id),
      affiliate_id: String(scene.affiliate.id),
      visitor_id: sent.visitor_id,
      landing_url: sent.url,
      referrer: sent.referrer,
      user_agent: BROWSER,
    })
  })

  it('with a campaign means that one, and its window', async () => {
    const { database, account, affiliate } = scene
    const other = await buildCampaign(database, account.id, { attribution_window_days: 7 })
    await buildAffiliate(database, account.id, other.id, { email: affiliate.email })
    const { body } = await beacon(scene, { ...base(), token: affiliate.token, campaign: other.slug })
    expect(body.expires_in).toBe(7 * DAY_SECONDS)
    expect((await clickRow(scene, body.click_id)).campaign_id).toBe(String(other.id))
  })

  it.each(['text/plain;charset=UTF-8', 'application/json', 'application/x-www-form-urlencoded', 'image/png'])(
    'is read as JSON when it says it is %s',
    async type => {
      const sent = { ...base(), token: scene.affiliate.token }
      expect((await beacon(scene, sent, { 'content-type': type })).status).toBe(201)
    },
  )
})

describe('a click of the redirect', () => {
  it('is adopted, not recorded again', async () => {
    const { clickId } = await follow(scene, linkOf(scene))
    const before = await countClicks(scene)
    const sent = { ...base(), click_id: clickId, token: scene.affiliate.token }
    const { status, body } = await beacon(scene, sent)
    expect([status, body]).toEqual([201, { click_id: clickId, expires_in: 60 * DAY_SECONDS }])
    expect((await clickRow(scene, clickId)).visitor_id).toBe(sent.visitor_id)
    expect(await countClicks(scene)).toBe(before)
  })

  it.each([
    ['with the token', () => ({ token: scene.affiliate.token })],
    ['alone', () => ({})],
  ])(
    'stays with the first visitor: another who opens the copied address, %s, has a separate click',
    async (_, more) => {
      const { database, account, affiliate } = scene
      const other = await buildCampaign(database, account.id, {
        attribution_window_days: 7,
        destination_url: DESTINATION,
      })
      await buildAffiliate(database, account.id, other.id, { email: affiliate.email })
      const { clickId } = await follow(scene, linkOf(scene, `/${other.slug}`))
      const first = { ...base(), click_id: clickId, ...more() }
      expect((await beacon(scene, first)).body.click_id).toBe(clickId)
      const second = { ...base(), click_id: clickId, ...more() }
      const { status, body } = await beacon(scene, second)
      expect([status, body.expires_in]).toEqual([201, 7 * DAY_SECONDS])
      expect(body.click_id).not.toBe(clickId)
      expect(await clickRow(scene, body.click_id)).toMatchObject({
        campaign_id: String(other.id),
        affiliate_id: String(affiliate.id),
        visitor_id: second.visitor_id,
      })
      expect((await clickRow(scene, clickId)).visitor_id).toBe(first.visitor_id)
      // A page that is opened again.
      expect((await beacon(scene, first)).body.click_id).toBe(clickId)
    },
  )

  it('stays with the visitor whose beacon is first, though another opens the copied address at the same moment', async () => {
    const { clickId } = await follow(scene, linkOf(scene))
    const [first, second] = [base(), base()].map(each => ({ ...each, click_id: clickId }))
    const { rows } = await scene.database.owner.query(
      'SELECT address_hash AS "addressHash", user_agent AS "userAgent" FROM clicks WHERE id = $1',
      [clickId],
    )
    const { body } = await whileHeld(
      scene.database,
      tx => adoptClick(tx, scene.account.id, clickId, { ...rows[0], visitorId: first?.visitor_id }),
      () => beacon(scene, second as object),
    )
    expect(body.click_id).not.toBe(clickId)
    expect((await clickRow(scene, body.click_id)).visitor_id).toBe(second?.visitor_id)
    expect((await clickRow(scene, clickId)).visitor_id).toBe(first?.visitor_id)
  })

  it.each([
    [
      'no one adopted, opened elsewhere long after',
      '11 minutes',
      {},
      { 'user-agent': 'Mozilla/5.0 (Macintosh)' },
    ],
    ['that has left its window', '60 days 1 second', { visitor_id: 'visitor-of-the-address' }, {}],
  ])('%s is an address that was kept: the visit is a new click', async (_, age, adopted, headers) => {
    const { clickId } = await follow(scene, linkOf(scene))
    const sent = { ...base(), ...adopted, click_id: clickId }
    if ('visitor_id' in adopted) expect((await beacon(scene, sent)).body.click_id).toBe(clickId)
    await scene.database.owner.query(
      'UPDATE clicks SET created_at = created_at - $2::interval WHERE id = $1',
      [clickId, age],
    )
    const { status, body } = await beacon(scene, sent, headers)
    expect(status).toBe(201)
    expect(body.click_id).not.toBe(clickId)
    expect((await clickRow(scene, body.click_id)).visitor_id).toBe(sent.visitor_id)
  })

  it('that was just made is the one of the visit, though its page comes from another address', async () => {
    const { clickId } = await follow(scene, linkOf(scene), { 'x-forwarded-for': '203.0.113.1' })
    const { body } = await beacon(
      scene,
      { ...base(), click_id: clickId },
      { 'x-forwarded-for': '2001:db8::1' },
    )
    expect(body.click_id).toBe(clickId)
  })

  it.each([
    ['another address', { 'x-forwarded-for': '203.0.113.66' }],
    ['no address', { 'x-forwarded-for': '10.0.0.1' }],
    ['another browser', { 'user-agent': 'Mozilla/5.0 (Macintosh) Safari/605.1' }],
  ])('cannot be taken from %s: ids can be guessed, and credit would go with them', async (_, thief) => {
    const home = { 'x-forwarded-for': '203.0.113.1' }
    const { clickId } = await follow(scene, linkOf(scene), home)
    await beacon(scene, { ...base(), click_id: clickId }, { ...home, ...thief })
    expect((await clickRow(scene, clickId)).visitor_id).toBeNull()
    const own = { ...base(), click_id: clickId }
    await beacon(scene, own, home)
    expect((await clickRow(scene, clickId)).visitor_id).toBe(own.visitor_id)
  })

  it('that is unknown falls back to the token beside it', async () => {
    const { status, body } = await beacon(scene, {
      ...base(),
      click_id: Number.MAX_SAFE_INTEGER,
      token: scene.affiliate.token,
    })
    expect(status).toBe(201)
    expect((await clickRow(scene, body.click_id)).affiliate_id).toBe(String(scene.affiliate.id))
  })
})

describe('422 and no click for', () => {
  let foreign: { account: string; clickId: number; token: string }
  beforeAll(async () => {
    const { database } = scene
    const account = await buildAccount(database)
    const campaign = await buildCampaign(database, account.id, { destination_url: 'https://else.example/' })
    const { token } = await buildAffiliate(database, account.id, campaign.id)
    const { clickId } = await follow(scene, `/r/${account.slug}/${token}`)
    foreign = { account: account.slug, clickId, token }
  })

  it.each<[string, string, () => object]>([
    [
      'an unknown account',
      'account',
      () => ({ ...base(), account: 'unknown', token: scene.affiliate.token }),
    ],
    ['an unknown token', 'token', () => ({ ...base(), token: 'unknown' })],
    ['another account’s token', 'token', () => ({ ...base(), token: foreign.token })],
    [
      'an unknown campaign',
      'token',
      () => ({ ...base(), token: scene.affiliate.token, campaign: 'no-such-campaign' }),
    ],
    ['an unknown click', 'click_id', () => ({ ...base(), click_id: Number.MAX_SAFE_INTEGER })],
    ['another account’s click', 'click_id', () => ({ ...base(), click_id: foreign.clickId })],
    ['neither token nor click', 'click_id', base],
    ['no account', 'account', () => ({ visitor_id: visitor(), token: 'x' })],
    ['no visitor', 'visitor_id', () => ({ account: scene.account.slug, token: 'x' })],
    ['a short visitor', 'visitor_id', () => ({ ...base(), visitor_id: 'short' })],
    ['a long visitor', 'visitor_id', () => ({ ...base(), visitor_id: 'x'.repeat(65) })],
    ['an unknown field', 'extra', () => ({ ...base(), token: scene.affiliate.token, extra: 1 })],
    ['a click that is text', 'click_id', () => ({ ...base(), click_id: '1' })],
    ['a click that is a fraction', 'click_id', () => ({ ...base(), click_id: 1.5 })],
    ['a click below one', 'click_id', () => ({ ...base(), click_id: 0 })],
    ['a click beyond 2^53', 'click_id', () => ({ ...base(), click_id: 2 ** 53 })],
    ['a NUL', 'visitor_id', () => ({ ...base(), visitor_id: 'nul\0nul\0nul', token: scene.affiliate.token })],
    ['half a surrogate pair', 'url', () => ({ ...base(), token: scene.affiliate.token, url: '\ud800' })],
    ['a long address', 'url', () => ({ ...base(), token: scene.affiliate.token, url: 'x'.repeat(4097) })],
  ])('%s, naming %s', async (_, field, sent) => {
    const before = await countClicks(scene)
    const { status, body } = await beacon(scene, sent())
    expect([status, body]).toEqual([422, errorOf('validation_failed')])
    expect(body.error.message).toContain(field)
    expect(await countClicks(scene)).toBe(before)
  })
})

describe('4xx for a body that is', () => {
  it.each<[string, string | Buffer]>([
    ['empty', ''],
    ['not JSON', 'token=abc'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['cut off', '{"account":'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('%s', async (_, bytes) => {
    const { status, body } = await beacon(scene, bytes)
    expect([status, body]).toEqual([400, errorOf('bad_request')])
  })

  it('over 8 KiB, and takes one of exactly 8 KiB', async () => {
    const text = JSON.stringify({ ...base(), token: scene.affiliate.token })
    expect((await beacon(scene, text.padEnd(8192))).status).toBe(201)
    const { status, body } = await beacon(scene, text.padEnd(8193))
    expect([status, body]).toEqual([413, errorOf('payload_too_large')])
  })
})
