/** Protects the sources of clicks: however a landing page is written, a parameter's value is the first one that it has. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sql } from '../../src/db/sql.ts'
import { clickSource } from '../../src/insight/referral-source.store.ts'
import { useOwnScene } from '../harness.ts'

const scene = useOwnScene()
const MOST_CHARACTERS = 200

const parts = [
  ...[
    '?',
    '&',
    '#',
    '=',
    '/',
    '+',
    '%20',
    '%C3%A9',
    '%',
    '%zz',
    '%FF',
    'é',
    '🙂',
    'x',
    'news',
    'a'.repeat(199),
  ],
  ...['utm_source=', '?utm_source=', '&utm_source=', 'utm_source', 'sub_id=', '?sub_id=', '&sub_id=', '_'],
]
const landingUrl = fc
  .array(fc.constantFrom(...parts), { maxLength: 12 })
  .map(pieces => `https://shop.example${pieces.join('')}`)

/** As bytes that are no UTF-8 can't be decoded, they stay as they are. */
function decoded(value: string): string {
  const bytes = value
    .replaceAll('+', ' ')
    .split(/(%[0-9a-f]{2})/i)
    .map(part => (/^%[0-9a-f]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part)))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
  } catch {
    return value
  }
}

const bounded = (value: string) => [...value].slice(0, MOST_CHARACTERS).join('')

function expectedOf(url: string) {
  const parameter = (name: string) => {
    const [, value] = new RegExp(`[?&]${name}=([^&#]+)`).exec(url) ?? []
    return value === undefined ? null : bounded(decoded(value))
  }
  return {
    utm_source: parameter('utm_source'),
    sub_id: parameter('sub_id'),
    landing_page: bounded(/^[^?#]+/.exec(url)?.[0] ?? ''),
  }
}

it('reads the parameters and the page of a URL', async () => {
  const written = [
    '?my_sub_id=1&sub_id=2',
    '?sub_id=&sub_id=2',
    '?sub_id=1&sub_id=2',
    '&sub_id=1?sub_id=2',
    '?sub_id=1?sub_id=2',
    '?sub_id=1%26x#&sub_id=2',
    '#?sub_id=1',
    '?sub_id=#1',
    '?a=100%&sub_id=b+c',
    '?sub_id=caf%C3%A9+%FF',
  ].map(rest => `https://shop.example/p${rest}`)
  const urls = [...written, ...fc.sample(landingUrl, { numRuns: 3000 })]
  const found = await scene.database.db.many<{
    utm_source: string
    sub_id: string
    landing_page: string
  }>(sql`
    SELECT x.utm_source, x.sub_id, x.landing_page
      FROM (SELECT n, ${clickSource}
              FROM unnest(${urls}::text[]) WITH ORDINALITY AS u (landing_url, n)
              CROSS JOIN LATERAL (SELECT u.landing_url, NULL::text AS referrer, NULL::text AS user_agent, NULL::text AS country,
                                         1 AS campaign_id, 1 AS affiliate_id) k) x
     ORDER BY x.n`)
  expect(found).toHaveLength(urls.length)
  for (const [index, url] of urls.entries()) expect(found[index], url).toEqual(expectedOf(url))
})
