import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

const CHECK_EVERY_MS = 50
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

interface Upstream {
  url: string
  agent: Agent
  isUp: boolean
}

interface Failure extends Error {
  code?: string
}

/** Forwards a request and reads the whole response. */
async function ask({ url, agent }: Upstream, incoming: IncomingMessage, body: Buffer) {
  const sent = request(url + incoming.url, { method: incoming.method, headers: incoming.headers, agent })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { answer, body: await buffer(answer) }
}

/** Whether the request may be retried on another upstream: if nothing was sent yet, or it is idempotent. */
const mayAskAnother = ({ code }: Failure, method = 'GET') => code === 'ECONNREFUSED' || IDEMPOTENT.has(method)

export interface ReverseProxy {
  url: string
  /** The number of retries on another upstream. */
  retries: number
  isUp(url: string): boolean
  close(): Promise<void>
}

/** Behaves like HAProxy, and mostly like nginx: checks upstreams' readiness, keeps connections open, and retries idempotent requests. */
export async function startReverseProxy(urls: string[]): Promise<ReverseProxy> {
  const upstreams: Upstream[] = urls.map(url => ({ url, agent: new Agent({ keepAlive: true }), isUp: false }))
  let turn = 0
  const proxy = {
    url: '',
    retries: 0,
    isUp: (url: string) => upstreams.some(one => one.url === url && one.isUp),
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const up = upstreams.filter(({ isUp }) => isUp)
    turn++
    for (const [index] of up.entries()) {
      const upstream = up[(turn + index) % up.length] as Upstream
      try {
        const got = await ask(upstream, incoming, body)
        const { connection: _, 'keep-alive': __, ...headers } = got.answer.headers
        outgoing.writeHead(got.answer.statusCode ?? 502, headers).end(got.body)
        return
      } catch (error) {
        if (!mayAskAnother(error as Failure, incoming.method)) break
        proxy.retries++
      }
    }
    outgoing.writeHead(502).end()
  }

  const check = async (upstream: Upstream) => {
    upstream.isUp = await fetch(`${upstream.url}/readyz`, { signal: AbortSignal.timeout(1000) }).then(
      async response => (await response.text()) !== '' && response.ok,
      () => false,
    )
  }
  const checks = setInterval(() => upstreams.forEach(upstream => void check(upstream)), CHECK_EVERY_MS)

  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(proxy, {
    async close() {
      clearInterval(checks)
      server.close()
      server.closeAllConnections()
      for (const { agent } of upstreams) agent.destroy()
      await once(server, 'close')
    },
  })
}
