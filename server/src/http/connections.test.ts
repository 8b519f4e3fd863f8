/** Limits of one connection: pipelined requests, unread responses, requests that never end. */
import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type ConnectionLimits, connectionLimits, createBoundedServer } from './connections.ts'

const quick: ConnectionLimits = {
  ...connectionLimits,
  headersTimeoutMs: 200,
  requestTimeoutMs: 400,
  checkEveryMs: 50,
  stallTimeoutMs: 300,
  responseTimeoutMs: 60_000,
}
/** On an idle machine this takes milliseconds. */
const PATIENCE = { timeout: 25_000 }
/** More than the kernel buffers for a client that does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024)
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

let server: Server
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** A connection to a new server, and what was received on it. */
async function open(handle: RequestListener, limits: Partial<ConnectionLimits> = {}) {
  server = createBoundedServer(handle, { ...quick, ...limits })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  const chunks: Buffer[] = []
  const closed = new Promise<string>(resolve => {
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
  const read = () => socket.on('data', chunk => chunks.push(chunk))
  return { socket, closed, read, text: () => Buffer.concat(chunks).toString() }
}
const responsesIn = (text: string) => text.match(/HTTP\/1\.1 200/g)?.length ?? 0

describe('pipelined requests', () => {
  // None of these is about time: with short limits a busy machine would end their connections.
  const openUnhurried = (handle: RequestListener) => open(handle, connectionLimits)

  it('are handled one at a time, in order', async () => {
    let atOnce = 0
    let most = 0
    const { socket, read, text } = await openUnhurried(async (request, response) => {
      most = Math.max(most, ++atOnce)
      await sleep(5)
      atOnce--
      response.end(request.url)
    })
    read()
    const paths = Array.from({ length: 10 }, (_, index) => `/${index}`)
    socket.write(paths.map(path => GET.replace('/', path)).join(''))
    await expect.poll(() => responsesIn(text()), PATIENCE).toBe(10)
    expect([...text().matchAll(/\r\n(\/\d)/g)].map(([, path]) => path)).toEqual(paths)
    expect(most).toBe(1)
  })

  it('close the connection past mostWaiting, after the responses to those before', async () => {
    let asked = 0
    const { socket, closed, read } = await openUnhurried((_request, response) => {
      asked++
      setImmediate(() => response.end('x'))
    })
    read()
    socket.write(GET.repeat(1500))
    const text = await closed
    expect([responsesIn(text), asked]).toEqual([17, 17])
    expect(text.match(/connection: close/gi)).toHaveLength(1)
  })

  it('past mostWaiting are not even parsed', async () => {
    const { socket, closed, read } = await openUnhurried((_request, response) => response.end('x'))
    read()
    const [{ parser }] = (await once(server, 'connection')) as [{ parser: { onIncoming: () => number } }]
    let parsed = 0
    let current = parser.onIncoming
    const counted = (...found: []) => {
      parsed++
      return current(...found)
    }
    Object.defineProperty(parser, 'onIncoming', {
      get: () => counted,
      set: other => {
        current = other
      },
    })
    socket.write(GET.repeat(1500))
    expect(responsesIn(await closed)).toBe(17)
    expect(parsed).toBe(18)
  })

  it('are dropped when the connection is lost', async () => {
    const asked: ServerResponse[] = []
    const { socket } = await openUnhurried((_request, response) => void asked.push(response))
    socket.write(GET.repeat(10))
    await expect.poll(() => asked.length, PATIENCE).toBe(1)
    socket.destroy()
    await expect.poll(() => asked[0]?.destroyed, PATIENCE).toBe(true)
    asked[0]?.end('x')
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect(asked.length).toBe(1)
  })

  it('do not affect a connection with sequential requests', async () => {
    const { socket, read, text } = await openUnhurried((_request, response) => response.end('x'))
    read()
    for (let count = 1; count <= 100; count++) {
      socket.write(GET)
      await expect.poll(() => responsesIn(text()), { ...PATIENCE, interval: 1 }).toBe(count)
    }
  })
})

describe('an unread response', () => {
  it('is closed when no byte has moved for a while', async () => {
    const { socket, closed, read } = await open((_request, response) => response.end(LARGE))
    socket.pause()
    socket.write(GET)
    const [accepted] = (await once(server, 'connection')) as [Socket]
    await once(accepted, 'close')
    read()
    socket.resume()
    expect((await closed).length).toBeLessThan(LARGE.length)
  })

  it('is closed even if requests keep arriving', async () => {
    const { socket } = await open((_request, response) => response.end(LARGE), { responseTimeoutMs: 500 })
    socket.pause()
    const [accepted] = (await once(server, 'connection')) as [Socket]
    const sending = setInterval(() => socket.write(GET), 50)
    await once(accepted, 'close')
    clearInterval(sending)
  })

  it('is not closed while it is read, however long that takes', async () => {
    // Longer than a busy machine delays a reader.
    const stallTimeoutMs = 1_000
    const { socket, text } = await open((_request, response) => response.end(LARGE), { stallTimeoutMs })
    let length = 0
    const begun = performance.now()
    socket.on('data', async chunk => {
      length += chunk.length
      socket.pause()
      // Slowly until it has taken longer than that, and then at full speed.
      await sleep(performance.now() - begun < 1.2 * stallTimeoutMs ? 20 : 0)
      socket.resume()
    })
    socket.write(GET)
    await expect.poll(() => length, PATIENCE).toBeGreaterThan(LARGE.length)
    expect(performance.now() - begun).toBeGreaterThan(stallTimeoutMs)
    expect(text()).toBe('')
  })

  it('is not one that is still being produced', async () => {
    const { socket, read, text } = await open((_request, response) => {
      setTimeout(() => response.end('x'), quick.stallTimeoutMs * 3)
    })
    read()
    socket.write(GET)
    await expect.poll(() => responsesIn(text()), PATIENCE).toBe(1)
  })
})

describe('a request that does not end', () => {
  const never: RequestListener = request => void request.resume()
  it.each([
    ['no byte at all', ''],
    ['headers', 'GET / HTTP/1.1\r\nHost: '],
    ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{'],
    ['chunks', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ])('is closed: %s', async (_what, bytes) => {
    const { socket, closed, read } = await open(never)
    read()
    if (bytes) socket.write(bytes)
    await closed
  })

  it('is closed even if a byte arrives now and then', async () => {
    const { socket, closed, read } = await open(never)
    read()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n')
    const dripping = setInterval(() => socket.write('x'), 20)
    await closed
    clearInterval(dripping)
  })
})

it('an idle connection is kept for the next request, and closed in the end', async () => {
  const { socket, read, text, closed } = await open((_request, response) => response.end('x'), {
    keepAliveTimeoutMs: 2_000,
  })
  read()
  socket.write(GET)
  await expect.poll(() => responsesIn(text()), PATIENCE).toBe(1)
  await sleep(quick.stallTimeoutMs + 100)
  socket.write(GET)
  await expect.poll(() => responsesIn(text()), PATIENCE).toBe(2)
  await closed
})
