/** Keeps docs/security.md honest: every claim names a test, and that test exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../src/paths.ts'

const page = readFileSync(join(projectRoot, 'docs/security.md'), 'utf8')
/** Rows of the tables whose last column names tests, without their headers. */
const rows = page
  .split('\n## ')
  .flatMap(section => (section.includes('Tested by |') ? section.split('\n') : []))
  .filter(line => line.startsWith('| ') && !line.includes('Tested by |'))
  .map(line => line.split('|').slice(1, -1))

const isTestName = (text: string) => /^(server|e2e|sdk)\/[\w/-]*\w$|^[a-z]+(\/[a-z-]+)?$/.test(text)
const pathOf = (name: string) => `${/^(server|e2e|sdk)\//.test(name) ? name : `server/test/${name}`}.test.ts`
const namesIn = (text: string) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string).filter(isTestName)

it('finds the tables and the names', () => {
  expect(rows.length).toBeGreaterThan(60)
  expect(new Set(namesIn(page)).size).toBeGreaterThan(50)
})

it('names only tests that exist', () => {
  const missing = [...new Set(namesIn(page))].filter(name => !existsSync(join(projectRoot, pathOf(name))))
  expect(missing).toEqual([])
})

it('names a test in every row, except where none of ours can prove it', () => {
  const unproven = rows.filter(cells => namesIn(cells.at(-1) as string).length === 0)
  expect(unproven.map(([what]) => what?.trim())).toEqual(['install a different version than the one tested'])
})
