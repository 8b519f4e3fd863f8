/** Evidence can be checked: a signal leads to the rows that it counted. */
import { expect, it } from 'vitest'
import { signalRows } from './signal-rows.ts'

const part = { points: 40, value: 300, of: null, usual: null, text: null }

it.each([
  [
    'click_velocity',
    { campaign_id: null, parts: [{ ...part, fact: 'clicks_in_day', text: '2026-11-18' }] },
    { clicks: { affiliate_id: 7, is_counted: true, from: '2026-11-18', until: '2026-11-18' } },
  ],
  [
    'paid_search',
    { campaign_id: 2, parts: [{ ...part, fact: 'paid_clicks', text: 'gclid' }] },
    { clicks: { affiliate_id: 7, campaign_id: 2, is_counted: true } },
  ],
  [
    'instant_sales',
    { campaign_id: 2, parts: [{ ...part, fact: 'instant_sales' }] },
    { referrals: { affiliate_id: 7, campaign_id: 2, status: 'all' } },
  ],
  ['shared_network', { campaign_id: null, parts: [{ ...part, fact: 'accounts_on_network' }] }, {}],
] as const)('%s', (kind, signal, expected) => {
  expect(signalRows({ kind, affiliate_id: 7, ...signal, parts: [...signal.parts] })).toEqual(expected)
})
