/** Protects the service from being asked for the same again and again: what everybody gets is made once, compressed, and has an ETag. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { docsFolder, webBuildFolder } from '../../src/paths.ts'
import { useScene } from '../harness.ts'
import { rawRequest, sendRaw } from '../raw-http.ts'

const scene = useScene()
const asset = readdirSync(join(webBuildFolder(), 'assets')).find(name => name.endsWith('.js')) as string
const stored = [
  '/openapi.json',
  '/docs',
  '/docs/reference',
  '/docs/payouts',
  '/docs/deploy/nginx.conf',
  '/docs/images/overview.png',
  '/tracker.js',
  '/assets/style.css',
  '/assets/font.css',
  `/web/assets/${asset}`,
]

/** As it goes over the wire: fetch would decompress it. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const raw = await sendRaw(scene.app.url, rawRequest(`GET ${path} HTTP/1.1`, headers), 'latin1')
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, end)
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
  return { status: Number(head.split(' ')[1]), header, bytes: Buffer.from(raw.slice(end + 4), 'latin1') }
}

describe.each(stored)('%s', path => {
  it('has an ETag by which it need not be sent again', async () => {
    const first = await ask(path)
    expect(first.status).toBe(200)
    const tag = first.header('etag') as string
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*', tag.replace(/"$/, '-br"')]) {
      const again = await ask(path, { 'If-None-Match': known })
      expect([known, again.status, again.bytes.length]).toEqual([known, 304, 0])
      expect(again.header('cache-control')).toBe(first.header('cache-control'))
    }
    expect((await ask(path, { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  it('is sent in the coding that is asked for, and means the same', async () => {
    const plain = await ask(path)
    expect(plain.header('content-encoding')).toBeUndefined()
    const [br, gzip, refused] = await Promise.all(
      ['gzip;q=0.5, br', 'gzip', 'gzip;q=0, br;q=0'].map(each => ask(path, { 'Accept-Encoding': each })),
    )
    // Byte by byte is slow where they are many.
    const isPlain = (bytes: Buffer | undefined) => bytes?.equals(plain.bytes)
    expect(isPlain(refused?.bytes)).toBe(true)
    if (path.endsWith('.png')) return
    expect(plain.header('vary')).toBe('Accept-Encoding')
    expect([br?.header('content-encoding'), gzip?.header('content-encoding')]).toEqual(['br', 'gzip'])
    expect(isPlain(brotliDecompressSync(br?.bytes as Buffer))).toBe(true)
    expect(isPlain(gunzipSync(gzip?.bytes as Buffer))).toBe(true)
    expect(br?.header('etag')).not.toBe(plain.header('etag'))
  })
})

describe('a path that is no file does not exist', () => {
  const folders = ['images', 'deploy', 'grafana']
  const names = [
    '..',
    '.',
    '...',
    '%2e%2e',
    '%2e',
    '..%2f',
    '..%2fREADME.md',
    '..%5cREADME.md',
    '%252e%252e',
    '%00',
    'overview.png%00',
    'overview.png%00.txt',
    'overview.png/',
    'OVERVIEW.PNG',
    '..\\README.md',
    'con',
    'a'.repeat(300),
    'a'.repeat(10_000),
    '%F0%9F%98%80',
    '__proto__',
    'constructor',
    '',
  ]
  it.each(folders)('below /docs/%s', async folder => {
    for (const name of names) {
      const path = `/docs/${folder}/${name}`
      const { status } = await ask(path, { Accept: 'text/html' })
      // A trailing slash is the same path.
      expect([path, status]).toEqual([path, path.endsWith('.png/') && folder === 'images' ? 200 : 404])
    }
  })

  it('nor below any other folder of files', async () => {
    for (const folder of ['/docs', '/docs/none', '/web/assets', '/assets', '/web', '/portal/x/logo'])
      for (const name of names.filter(each => each !== '')) {
        const { status } = await ask(`${folder}/${name}`)
        expect([folder, name, status]).toEqual([folder, name, 404])
      }
  })

  it('while every file that is there is served', async () => {
    for (const folder of folders)
      for (const name of readdirSync(join(docsFolder, folder)))
        expect([name, (await ask(`/docs/${folder}/${name}`)).status]).toEqual([name, 200])
  })
})

describe("the operator's pages", () => {
  it.each(['/metrics', '/readyz', '/healthz'])('%s answers its exact path alone', async path => {
    expect((await ask(path)).status).toBe(200)
    expect((await ask(`${path}?from=prometheus`)).status).toBe(200)
    const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
    for (const other of [
      `${path}/`,
      encoded,
      encoded.toUpperCase(),
      `${encoded}/`,
      `/${path}`,
      `${path};x`,
      `${path}%2f`,
      `${path}%3f`,
      `${path}%20`,
      `${path}/.`,
      `/.${path}`,
      `/x/..${path}`,
      path.toUpperCase(),
      `${path}#x`,
    ])
      expect([other, (await ask(other)).status]).toEqual([other, 404])
  })
})

it('serves the font that every page uses, uncompressed and for as long as a browser keeps it', async () => {
  const styles = (await ask('/assets/font.css')).bytes.toString()
  const fonts = [...styles.matchAll(/url\(([^)]+)\)/g)].map(([, url]) => url as string)
  expect(fonts.some(url => /inter-latin-wght-normal-[\d.]+\.woff2$/.test(url))).toBe(true)
  for (const url of fonts) {
    const font = await ask(url, { 'Accept-Encoding': 'br, gzip' })
    expect([font.status, font.header('content-type'), font.header('content-encoding')]).toEqual([
      200,
      'font/woff2',
      undefined,
    ])
    expect(font.header('cache-control')).toContain('immutable')
    expect(font.bytes.subarray(0, 4).toString()).toBe('wOF2')
  }
  for (const page of ['/dashboard', '/docs', '/docs/reference', '/r/unknown/unknown']) {
    const { bytes, header } = await ask(page, { Accept: 'text/html' })
    expect([page, bytes.toString().includes('href="/assets/font.css"')]).toEqual([page, true])
    expect(header('content-security-policy')).toContain("font-src 'self'")
  }
})
