/** The script that runs on every page of the merchant: small, cacheable, loadable from any origin. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { webFolder } from '../../src/paths.ts'
import { useTracking } from './scene.ts'

const MOST_BYTES = 3_000
const scene = useTracking()
const source = readFileSync(join(webFolder, 'tracker.js'), 'utf8')
const served = async () => (await fetch(`${scene.app.url}/tracker.js`)).text()

it('is served without its comments, for an hour, to pages of any origin', async () => {
  const answer = await fetch(`${scene.app.url}/tracker.js`, { headers: { origin: 'https://shop.example' } })
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect(answer.headers.get('set-cookie')).toBeNull()
  const text = await answer.text()
  expect(text).not.toMatch(/^\s*\/\//m)
  const words = (code: string) =>
    code
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .split(/\s+/)
      .filter(Boolean)
  expect(words(text)).toEqual(words(source))
})

it('is smaller than 3 kB on the wire', async () => {
  const text = await served()
  const bytes = gzipSync(text).length
  console.info(`tracker.js: ${Buffer.byteLength(text)} bytes, ${bytes} gzipped`)
  expect(bytes).toBeLessThan(MOST_BYTES)
})

it('is a plain script that names no other host and loads nothing', async () => {
  const text = await served()
  expect(() => new Script(text)).not.toThrow()
  expect(text).not.toMatch(/\bimport\b|\beval\b|\brequire\b|document\.write/)
  expect(text).not.toMatch(/https?:\/\//)
})
