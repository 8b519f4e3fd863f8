/** Protects who installs the SDK from their own service: npm takes it without any registry, and it works against that service. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkout, shell } from './support/program.ts'
import { sharedProgramme, sharedService } from './support/shared.ts'
import type { SharedService } from './support/shared-parts.ts'
import { temporaryDirectory } from './support/temporary.ts'

const run = promisify(execFile)
const { version } = JSON.parse(readFileSync(join(checkout, 'sdk/package.json'), 'utf8')) as {
  version: string
}
const NAME = `tributary-sdk-${version}.tgz`

describe('the SDK of the service', () => {
  let service: SharedService
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { redirect: 'manual', headers })

  beforeAll(async () => {
    service = await sharedService()
  })

  test('is one file with a version in its name, kept by caches', async () => {
    const answer = await get(`/sdk/${NAME}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip'])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const etag = answer.headers.get('etag') as string
    const again = await get(`/sdk/${NAME}`, { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const folder = await temporaryDirectory()
    const script = `import(${JSON.stringify(join(checkout, 'sdk/pack.js'))}).then(sdk => sdk.packSdk(${JSON.stringify(folder)}))`
    await run(process.execPath, ['-e', script])
    expect(readdirSync(folder)).toEqual([NAME])
    expect(readFileSync(join(folder, NAME)).equals(bytes)).toBe(true)
  })

  test('is found without its version', async () => {
    const latest = await get('/sdk/latest.tgz')
    expect([latest.status, latest.headers.get('location')]).toEqual([302, `/sdk/${NAME}`])
    expect((await get('/sdk')).headers.get('location')).toBe('/docs/sdk')
    for (const path of ['/sdk/tributary-sdk-99.0.0.tgz', '/sdk/..%2fmain.js', '/sdk/package.json'])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    const reference = await (await get('/docs/reference')).text()
    expect(reference).toContain(`npm install ${service.url}/sdk/latest.tgz`)
    for (const page of ['docs/sdk.md', 'sdk/README.md']) {
      const text = readFileSync(join(checkout, page), 'utf8')
      expect(text.match(/tributary-sdk-[\d.]+\.tgz/g)).toEqual(expect.arrayContaining([NAME]))
      expect(text).not.toContain('npm install @tributary/sdk')
    }
  })

  test.each([`/sdk/${NAME}`, '/sdk/latest.tgz'])('is installed by npm from %s and works', async path => {
    const { key } = (await sharedProgramme()).programme
    const folder = await temporaryDirectory()
    writeFileSync(join(folder, 'package.json'), '{"name": "shop", "version": "1.0.0", "type": "module"}')
    // An unreachable registry: the package has no dependencies to download.
    const offline = [
      '--registry',
      'http://127.0.0.1:9/',
      '--no-audit',
      '--no-fund',
      '--cache',
      join(folder, 'cache'),
    ]
    await run('npm', ['install', service.url + path, ...offline], { cwd: folder })
    const program = `
      import { Tributary, TributaryError } from '@tributary/sdk'
      const tributary = new Tributary({ apiKey: process.env.KEY, baseUrl: ${JSON.stringify(service.url)} })
      const campaigns = await tributary.campaigns.list().page()
      console.log(campaigns.data.length)
      await tributary.affiliates.get(1).catch(error => console.log(error instanceof TributaryError, error.code))`
    writeFileSync(join(folder, 'program.js'), program)
    const { stdout } = await run(process.execPath, ['program.js'], {
      cwd: folder,
      env: { ...process.env, KEY: key },
    })
    expect(stdout).toBe('1\ntrue not_found\n')
  })

  test('nothing suggests npx outside a checkout', async () => {
    const { stdout } = await shell(`node ${join(checkout, 'server/bin/tributary.js')} --help`, service.env)
    expect(stdout).toContain('In a checkout, run npx tributary')
    const { stdout: help } = await shell(
      `node ${join(checkout, 'server/bin/tributary.js')} payout create --help`,
      service.env,
    )
    expect(help).toMatch(/\$ tributary payout create/)
  })
})
