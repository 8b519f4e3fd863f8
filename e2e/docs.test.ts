/**
 * Protects readers who copy a command from the documentation: every block marked `sh` is run as written, in the order of the page.
 * Commands that need another machine, a separate terminal or real money (containers, systemd, PayPal) are marked `console` and aren't run.
 */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkout, type Env, shell } from './support/program.ts'
import { type Service, serve } from './support/service.ts'
import { emptyDataDir } from './support/shared.ts'
import { temporaryDirectory } from './support/temporary.ts'

const commandsIn = (page: string) =>
  [...readFileSync(join(checkout, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, block = '']) => block,
  )
const pages = ['README.md', ...readdirSync(join(checkout, 'docs')).map(name => `docs/${name}`)].filter(
  page => page.endsWith('.md') && commandsIn(page).length > 0,
)

/** Pages that build on each other, in the order in which they are read. */
const journey = ['quick-start', 'tracking', 'webhooks', 'payouts', 'backup'].map(name => `docs/${name}.md`)

/** What a page assumes that no earlier page set up. */
const before: Record<string, string> = {
  'docs/payouts.md':
    'curl -sS --fail -X PATCH $URL/api/v1/commissions/1 -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d \'{"status": "approved"}\'',
}

test('every page with commands is run', () => {
  expect(pages.toSorted()).toEqual(['README.md', ...journey].toSorted())
})

describe.each([
  ['the README', ['README.md']],
  ['the guides', journey],
])('%s', (_name, reading) => {
  let service: Service
  let env: Env
  let folder: string

  beforeAll(async () => {
    const dataDir = await emptyDataDir()
    service = await serve({ TRIBUTARY_DATA_DIR: dataDir })
    folder = await temporaryDirectory()
    symlinkSync(dataDir, join(folder, 'data'))
    writeFileSync(join(folder, 'client-secret.txt'), 'the-secret\n')
    env = { TRIBUTARY_DATA_DIR: dataDir, URL: service.url }
  })

  test('runs from the first command to the last', async () => {
    // In another folder, so that files created by a command don't end up in the checkout.
    const asRun = (block: string) =>
      block
        .replaceAll('http://127.0.0.1:3000', service.url)
        .replaceAll('npx tributary', `node ${join(checkout, 'server/bin/tributary.js')}`)
        // An error response must not pass as success.
        .replaceAll(/\bcurl (?!-s)/g, 'curl -sS --fail ')
    const script = reading.flatMap(page => [
      `echo "── ${page}" >&2`,
      before[page] ?? '',
      ...commandsIn(page).map(asRun),
    ])
    const { code, stderr, stdout } = await shell(`set -eu\ncd ${folder}\n${script.join('\n')}`, env)
    expect({ code, stderr: code === 0 ? '' : stderr, stdout: code === 0 ? '' : stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: '',
    })
  })
})
