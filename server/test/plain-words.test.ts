/**
 * Keeps every text in the terms of the trade: what users and engineers read is searched for phrases that have a better word. Each
 * phrase names what to write instead.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../src/paths.ts'

type Phrase = [phrase: RegExp, say: string]

/** In every file: texts, comments and identifiers. */
const EVERYWHERE: Phrase[] = [
  [/\bwhoever\b/i, 'the caller, a user, another process …'],
  [/\b(somebody|nobody)\b/i, 'a user, no one, another process …'],
  [/\b(is|are|was|were|be|been|being|get|gets) told\b/i, 'is notified, receives, learns'],
  [/\buntold\b/i, 'unreported, unpublished'],
  [/\bwhat (became|becomes|has become) of\b/i, 'the outcome of'],
  [/\bsays? so\b/i, 'confirm; the statement itself'],
  [/\bcom(e|es|ing) along\b/i, 'arrives, is added'],
  [/\bof (its|their|your|our|his|her|one.s) own\b/i, 'its own …, a separate …'],
  [/\bby (itself|themselves)\b/i, 'automatically, alone'],
  [/\bby hand\b/i, 'manually, manual'],
  [/\bfor good\b/i, 'permanently'],
  [/\be-mails?\b/i, 'email'],
  [/\bverdicts?\b/i, 'outcome'],
  [/\bbetrays?\b/i, 'indicates'],
  [/\bwithout credit\b/i, 'unattributed'],
  [/\bempty-handed\b/i, 'excluded'],
]

/** Where users read: the catalogues, the docs, the CLI, the settings. */
const FOR_USERS: Phrase[] = [
  [/\bwaits? for (me|you)\b/i, 'needs attention'],
  [/\bfree in \d/i, 'clears on'],
  [/\b(figures|figure)\b(?! \d)/i, 'metrics, numbers, totals'],
  [/\bpromoters?\b(?!\.approved)/i, 'affiliate'],
  [/\bin hand\b/i, 'in flight, pending'],
  [/\bonce more\b/i, 'again; confirm'],
  [/\bend of the list\b/i, 'results'],
  [/\bdays are those of\b/i, 'all dates in …'],
  [/\bpresent password\b/i, 'current password'],
  [/\bthat did not work\b/i, 'something went wrong'],
  [/\blook into your mail\b/i, 'check your inbox'],
  [/\bleft out columns|columns that are left out|refused lines\b/i, 'ignored columns, skipped rows'],
  [/\bdoors?\b/i, 'sign-in page, sign-in link'],
]

/** The user that PostgreSQL runs under when the service runs as root. */
const withoutUnixUser = (text: string) =>
  text.replaceAll(/`nobody`|\bnobody\(|\{ nobody \}|nobody\.ts|\bNOBODY\b|nobody:|-R nobody/g, '')

const SOURCE =
  /\.(ts|tsx|js|css|html|md|sh|yaml|conf|cfg|service)$|(^|\/)(\.env\.example|Dockerfile|Caddyfile)$/
const LEFT_ALONE = /(^|\/)(node_modules|dist|\.git|images)(\/|$)|plain-words/

const files = readdirSync(projectRoot, { recursive: true, encoding: 'utf8' })
  .filter(file => SOURCE.test(file) && !LEFT_ALONE.test(file))
  .toSorted()

const isForUsers = (file: string) =>
  !file.endsWith('.test.ts') &&
  /\.md$|\.env\.example$|\/en\.ts$|^contract\/src\/portal\/texts\/|^server\/src\/commands\//.test(file)

function search(file: string, text: string, phrases: Phrase[]): string[] {
  const lines = withoutUnixUser(text).split('\n')
  return lines.flatMap((line, index) =>
    phrases
      .filter(([phrase]) => phrase.test(line))
      .map(([phrase, say]) => `${file}:${index + 1} has "${phrase.exec(line)?.[0]}"; say: ${say}`),
  )
}

const findings = (file: string, phrases: Phrase[]) =>
  search(file, readFileSync(join(projectRoot, file), 'utf8'), phrases)

it('reads every kind of text', () => {
  for (const file of [
    'README.md',
    'docs/payouts.md',
    '.env.example',
    'server/src/commands/payout.ts',
    'e2e/payouts.test.ts',
  ])
    expect(files).toContain(file)
  expect(files.filter(file => /^web\/dashboard\/[^/]+\/en\.ts$/.test(file)).length).toBeGreaterThan(10)
})

it('has plain words everywhere', () => {
  expect(files.flatMap(file => findings(file, EVERYWHERE))).toEqual([])
})

it('speaks to users in the words of the glossary', () => {
  expect(files.filter(isForUsers).flatMap(file => findings(file, FOR_USERS))).toEqual([])
})

it('finds a phrase and names the word to use', () => {
  const found = search('a.md', 'Whoever needs it is told.\nThe rest is plain.', EVERYWHERE)
  expect(found).toEqual([
    'a.md:1 has "Whoever"; say: the caller, a user, another process …',
    'a.md:1 has "is told"; say: is notified, receives, learns',
  ])
  expect(search('a.md', 'PostgreSQL runs as `nobody`.', EVERYWHERE)).toEqual([])
})
