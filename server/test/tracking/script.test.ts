/** The script that runs on every page of the merchant: small, cacheable, loadable from any origin. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { webFolder } from '../../src/paths.ts'
import { useTracking } from './scene.ts'

const MOST_BYTES = 2_500
const scene = useTracking()
const source = readFileSync(join(webFolder, 'tracker.js'), 'utf8')

it('is served as it stands, for an hour, to pages of any origin', async () => {
  const answer = await fetch(`${scene.app.url}/tracker.js`, { headers: { origin: 'https://shop.example' } })
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(await answer.text()).toBe(source)
})

it('is smaller than 2.5 kB on the wire', () => {
  const bytes = gzipSync(source).length
  console.info(`tracker.js: ${Buffer.byteLength(source)} bytes, ${bytes} gzipped`)
  expect(bytes).toBeLessThan(MOST_BYTES)
})

it('is a plain script that names no other host and loads nothing', () => {
  expect(() => new Script(source)).not.toThrow()
  expect(source).not.toMatch(/\bimport\b|\beval\b|\brequire\b|document\.write/)
  expect(source.replaceAll(/^\/\/.*$/gm, '')).not.toMatch(/https?:\/\//)
})
