import { may, type Permission, type Role } from '@tributary/contract/dashboard/permissions'
import { describe, expect, it } from 'vitest'
import { paletteGroups } from './palette-items.ts'

const results = {
  affiliates: [{ id: 7, name: 'Jane', email: 'jane@example.com' }],
  customers: [{ id: 8, customer_ref: 'cus_8', customer_email: 'c@example.com', campaign_name: 'Partners' }],
  payouts: [
    { id: 9, campaign_name: 'Partners', status: 'paid' as const, total_minor: 5000, currency: 'USD' },
  ],
}
const groups = (text: string, role: Role = 'owner', found: typeof results | undefined = undefined) =>
  paletteGroups(text, {
    may: (permission: Permission) => may(role, permission),
    otherTheme: 'dark',
    accounts: [],
    results: found,
  })
const labelsOf = (...given: Parameters<typeof groups>) =>
  groups(...given).flatMap(({ items }) => items.map(({ label }) => label))

describe('the palette', () => {
  it('offers every page and action, by permission', () => {
    expect(labelsOf('')).toEqual(
      expect.arrayContaining(['Overview', 'New payout', 'New campaign', 'Sign out']),
    )
    const forViewers = labelsOf('', 'viewer')
    expect(forViewers).toEqual(expect.arrayContaining(['Overview', 'Switch to dark mode', 'Documentation']))
    for (const label of ['New payout', 'New campaign', 'Import affiliates', 'API keys', 'Invite team member'])
      expect(forViewers).not.toContain(label)
    expect(labelsOf('', 'finance')).toContain('New payout')
  })

  it('filters pages and actions by what is typed', () => {
    expect(labelsOf('p')).toContain('Payouts')
    expect(labelsOf('THEME')).not.toContain('Payouts')
    expect(labelsOf('sign')).toContain('Sign out')
  })

  it('finds the sections of Settings, by permission', () => {
    expect(groups('branding').flatMap(({ items }) => items)).toEqual(
      expect.arrayContaining([
        { id: 'settings-portal', label: 'Branding and portal', target: { page: 'settings/portal' } },
      ]),
    )
    expect(labelsOf('api')).toContain('API keys')
    expect(labelsOf('api', 'viewer')).not.toContain('API keys')
  })

  it('lists what the server found first, and always offers the full lists', () => {
    const found = groups('ja', 'viewer', results)
    expect(found.slice(0, 3).map(({ items }) => items[0]?.target)).toEqual([
      { page: 'affiliates/7' },
      { page: 'referrals/8' },
      { page: 'payouts/9' },
    ])
    expect(found.at(-1)?.items.map(({ target }) => target)).toEqual([
      { search: 'affiliates', text: 'ja' },
      { search: 'referrals', text: 'ja' },
    ])
  })

  it('has a distinct ID for every item', () => {
    const ids = groups('a', 'owner', results).flatMap(({ items }) => items.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })
})
