/** Protects who deploys by our files: the real nginx, HAProxy and Caddy keep the operator's pages from the public, however written. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, proxies, startRealProxy } from './support/real-proxy.ts'
import { until } from './support/until.ts'

/** What came through, as the service would see it. It answers everything, so that only the proxy can refuse. */
const arrived: string[] = []
/** The end of a path whose requests break off at the service, which proxies log as errors. */
const BREAKING = '?break'
const upstream = createServer((request, response) => {
  if (request.headers['x-forwarded-for']) arrived.push(request.url ?? '')
  if (request.url?.endsWith(BREAKING)) request.socket.destroy()
  else response.end('through')
})
const port = () => (upstream.address() as AddressInfo).port
beforeAll(async () => {
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
})
afterAll(() => {
  upstream.close()
  upstream.closeAllConnections()
})

/** The status of a path that is sent byte for byte. */
async function statusOf(port: number, path: string): Promise<number> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'partners.example.com',
    rejectUnauthorized: false,
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: partners.example.com\r\nConnection: close\r\n\r\n`)
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  await once(socket, 'close')
  return Number(Buffer.concat(chunks).toString().split(' ')[1])
}

const SECRET = 'aSecretThatOpensAnAccountWithoutAnyPassword'
/** The paths of links that grant access. A custom domain has them without the prefix. */
const secretPaths = [
  'sign-in/',
  'enter/',
  'view/',
  'confirm/',
  'join/summer-sale/',
  'unsubscribe/7/',
  'no-page-yet/',
].flatMap(path => [`/portal/acme/${path}${SECRET}`, `/${path}${SECRET}`])
const teamUnsubscribePath = `/unsubscribe/1/7/${SECRET}`

/** Spellings that a router may take for the same path. */
const spellings = (path: string) => {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16)}`
  const name = path.slice(1)
  const everyLetter = [...name].map(hex).join('')
  return [
    path,
    `${path}/`,
    `${path}?x=1`,
    `${path};x`,
    `${path}%2f`,
    `${path}%3fx`,
    `${path}/x`,
    `/${path}`,
    `//${path}`,
    `/${hex(name[0] as string)}${name.slice(1)}`,
    `/${hex(name[0] as string).toUpperCase()}${name.slice(1)}`,
    `/${name.slice(0, -1)}${hex(name.at(-1) as string)}`,
    `/${everyLetter}`,
    `/${everyLetter}/`,
  ]
}

for (const [name, kind] of Object.entries(proxies))
  if (isInstalled(kind))
    describe(`docs/deploy/${kind.file} in the real ${name}`, () => {
      let proxy: Awaited<ReturnType<typeof startRealProxy>>
      beforeAll(async () => {
        proxy = await startRealProxy(kind, [port(), port()])
        await until(`${name} reaches the service`, async () => (await statusOf(proxy.port, '/')) === 200)
      })
      afterAll(() => proxy?.stop())

      test.each(['/metrics', '/readyz', '/healthz'])('%s does not get through', async path => {
        arrived.length = 0
        for (const spelling of spellings(path))
          expect([spelling, await statusOf(proxy.port, spelling)]).toEqual([spelling, 404])
        expect(arrived).toEqual([])
      })

      test('everything else does', async () => {
        for (const path of [
          '/',
          '/api/v1/affiliates?limit=1',
          '/portal/acme/sign-in/x',
          '/docs/metrics',
          '/r/a/metrics',
        ])
          expect([path, await statusOf(proxy.port, path)]).toEqual([path, 200])
      })

      test('no link that grants access is logged, not even if the service breaks off', async () => {
        const own = await startRealProxy(kind, [port(), port()])
        try {
          for (const path of [...secretPaths, teamUnsubscribePath]) {
            expect([path, await statusOf(own.port, path)]).toEqual([path, 200])
            const { status } = await fetch(`http://127.0.0.1:${own.plainPort}${path}`, { redirect: 'manual' })
            expect([301, 308]).toContain(status)
          }
          expect(await statusOf(own.port, `${teamUnsubscribePath}${BREAKING}`)).toBe(502)
        } finally {
          await own.stop()
        }
        expect(own.logged()).not.toContain(SECRET)
      })
    })
  else
    describe(`docs/deploy/${kind.file} in the real ${name}`, () => {
      test(`there is no ${name} on this machine: its file is not tested`, () =>
        expect(isInstalled(kind)).toBe(false))
    })
