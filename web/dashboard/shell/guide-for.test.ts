import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { guideFor } from './guide-for.ts'
import { places } from './places.ts'

const docs = join(import.meta.dirname, '../../../docs')
const parts = ['general', 'api-keys', 'team', 'portal', 'payout-rails', 'fx-rates', 'mail', 'profile']
const paths = [
  ...places.map(({ path }) => `/acme/${path}`),
  ...parts.map(part => `/acme/settings/${part}`),
  '/acme/payouts/7',
  '/acme',
  '/',
]

it.each(paths)('%s has a guide, and a section where it names one', path => {
  const [, name, anchor] = /^\/docs\/([a-z-]+)(?:#([a-z-]+))?$/.exec(guideFor(path)) ?? []
  const file = join(docs, `${name}.md`)
  expect(existsSync(file)).toBe(true)
  const headings = readFileSync(file, 'utf8').match(/^#+ .*/gm) ?? []
  const anchors = headings.map(heading => heading.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))
  if (anchor !== undefined) expect(anchors).toContain(anchor)
})

it('leads to the topic of the page', () => {
  expect(guideFor('/acme/payouts/7')).toBe('/docs/payouts')
  expect(guideFor('/acme/settings/team')).toBe('/docs/dashboard#users-and-roles')
  expect(guideFor('/acme/nowhere')).toBe('/docs/dashboard')
})
