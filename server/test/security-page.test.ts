/** Keeps docs/security.md honest: whatever it says is shown by a test, and that test exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../src/paths.ts'

const page = readFileSync(join(projectRoot, 'docs/security.md'), 'utf8')
/** Rows of the tables whose last column names tests, without their headings. */
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

it('every test that it names exists', () => {
  const missing = [...new Set(namesIn(page))].filter(name => !existsSync(join(projectRoot, pathOf(name))))
  expect(missing).toEqual([])
})

it('every row names one, but what no test of ours can show', () => {
  const unproved = rows.filter(cells => namesIn(cells.at(-1) as string).length === 0)
  expect(unproved.map(([what]) => what?.trim())).toEqual(['install a different version than the one tested'])
})
