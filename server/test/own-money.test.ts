/** Protects affiliates from two answers to one question: what counts as their money is said in one file, and used everywhere. */
import { expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'
import { templatesIn } from './sql-templates.ts'

const HOME = 'server/src/money/ledger/own-money.ts'
/** The doctor looks for entries that are where they should not be, and so says it the other way round. */
const DOCTOR = 'server/src/money/ledger/invariants.ts'
/** Whose it is in any spelling, and whether an entry's referral was a test. */
const SPELLINGS = [
  /beneficiary\s*(<>|!=|=|IN|NOT IN)\s*\(?'/i,
  /\br\.is_test IS NOT TRUE/i,
  /= c\.referral_id AND \w+\.is_test/i,
]

const spelled = (text: string) => SPELLINGS.some(spelling => spelling.test(text))
const spellings = [...sourceFiles('server/src')]
  .filter(([file]) => !file.endsWith('.test.ts'))
  .flatMap(([file, source]) =>
    templatesIn(source)
      .filter(({ texts }) => spelled(texts.join('$')))
      .map(({ line }) => ({ file, line })),
  )

it('no statement says for itself whose an entry is, or that it is no test', () => {
  const elsewhere = spellings.filter(({ file }) => file !== HOME && file !== DOCTOR)
  expect(elsewhere.map(({ file, line }) => `${file}:${line}`)).toEqual([])
  expect(spellings.filter(({ file }) => file === HOME)).toHaveLength(2)
})

it('and eight files ask there', () => {
  const users = [...sourceFiles('server/src')].filter(([, source]) => source.includes('/own-money.ts'))
  expect(users.length).toBeGreaterThanOrEqual(8)
})

it.each([
  "c.beneficiary <> 'referee'",
  "c.beneficiary = 'affiliate'",
  "c.beneficiary IN ('affiliate', 'referrer')",
  'LEFT JOIN referrals r ON r.id = c.referral_id WHERE r.is_test IS NOT TRUE',
  'NOT EXISTS (SELECT 1 FROM referrals x WHERE x.id = c.referral_id AND x.is_test)',
])('%s is another spelling', text => {
  expect(spelled(text)).toBe(true)
})
