import type { RecentClick } from '@tributary/contract/dashboard'
import { describe, expect, it } from 'vitest'
import { findingOf, siteOf } from './check-outcome.ts'

const click = (id: number, facts: Partial<RecentClick> = {}): RecentClick => ({
  id,
  created_at: '2026-01-31T12:00:00.000Z',
  affiliate: { id: 1, name: 'Jane' },
  campaign: { id: 1, name: 'Main' },
  landing_url: 'https://shop.example/',
  is_bot: false,
  by_script: true,
  is_allowed: true,
  ...facts,
})

describe('the finding', () => {
  it.each([
    ['no click', [], 'waiting', undefined],
    ['only older clicks', [click(10), click(9)], 'waiting', undefined],
    ['a bot on a link', [click(12, { is_bot: true, by_script: false })], 'waiting', undefined],
    ['a bot that runs the script', [click(12, { is_bot: true })], 'works', 12],
    ['a link without the script', [click(12, { by_script: false })], 'link_only', 12],
    ['the script on another site', [click(12, { is_allowed: false })], 'not_allowed', 12],
    ['the script', [click(12)], 'works', 12],
    ['the script, then a link', [click(13, { by_script: false }), click(12)], 'works', 12],
    [
      'another site after a link',
      [click(13, { is_allowed: false }), click(12, { by_script: false })],
      'not_allowed',
      13,
    ],
  ] as const)('%s', (_, clicks, outcome, id) => {
    const found = findingOf([...clicks], 10)
    expect([found.outcome, found.click?.id]).toEqual([outcome, id])
  })
})

describe('the site of a page', () => {
  it.each([
    ['http://localhost:3000/x?via=a', 'http://localhost'],
    ['https://www.shop.example/', 'https://www.shop.example'],
    ['not a page', ''],
    [null, ''],
  ])('%s is %s', (page, site) => {
    expect(siteOf(page)).toBe(site)
  })
})
