import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { may, type Permission, type Role } from '@tributary/contract/dashboard/permissions'
import { describe, expect, it } from 'vitest'
import { texts } from './en.ts'
import { paletteGroups } from './palette-items.ts'

const results = {
  affiliates: [{ id: 7, name: 'Jane', email: 'jane@example.com' }],
  customers: [{ id: 8, customer_ref: 'cus_8', customer_email: 'c@example.com', campaign_name: 'Partners' }],
  sales: [{ id: 11, external_id: 'order-1', referral_id: 8, amount_minor: 4900, currency: 'USD' }],
  endpoints: [{ id: 12, url: 'https://example.com/hooks', status: 'active' as const }],
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

  it('finds each setting by its label on the page', () => {
    expect(groups('reporting').flatMap(({ items }) => items)).toContainEqual({
      id: 'settings-general-Reporting-currency',
      label: 'Reporting currency',
      note: 'General',
      target: { page: 'settings/general' },
    })
    expect(labelsOf('smtp', 'viewer')).not.toContain('SMTP server')
    const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')
    const pages = ['settings/en.ts', 'settings/tracking/en.ts', 'shared/en.ts'].map(read).join()
    for (const name of Object.values(texts.settings).flat()) expect(pages).toContain(name)
  })

  it('lists what the server found first, and always offers the full lists', () => {
    const found = groups('ja', 'viewer', results)
    expect(found.slice(0, 5).map(({ items }) => items[0]?.target)).toEqual([
      { page: 'affiliates/7' },
      { page: 'referrals/8' },
      { page: 'referrals/8' },
      { page: 'payouts/9' },
      { endpoint: 12 },
    ])
    expect(found.at(-1)?.items.map(({ target }) => target)).toEqual([
      { search: 'affiliates', text: 'ja' },
      { search: 'referrals', text: 'ja' },
      { docs: 'ja' },
    ])
  })

  it('finds every guide of the documentation by its title', () => {
    expect(
      groups('webhook', 'viewer').flatMap(({ items }) => items.map(({ target }) => target)),
    ).toContainEqual({
      guide: 'webhooks',
    })
    const docs = join(import.meta.dirname, '../../../docs')
    const index = readFileSync(join(docs, 'README.md'), 'utf8')
    const names = new Set([...index.matchAll(/\]\(([a-z0-9-]+)\.md\)/g)].map(([, name]) => name as string))
    expect(Object.keys(texts.guides).toSorted()).toEqual([...names].toSorted())
    for (const [name, title] of Object.entries(texts.guides))
      expect([name, readFileSync(join(docs, `${name}.md`), 'utf8').split('\n')[0]]).toEqual([
        name,
        `# ${title}`,
      ])
  })

  it('has a distinct ID for every item', () => {
    const ids = groups('a', 'owner', results).flatMap(({ items }) => items.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })
})
