import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Simulates a bad network: forwards every request, and drops a given number of responses. */
export async function startLossyProxy(target: string) {
  let toLose = 0
  const passedOn: { method: string; status: number; replayed: boolean }[] = []
  const server = createServer(async (request, response) => {
    const { method = 'GET', url } = request
    const body = await text(request)
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
    const answer = await fetch(`${target}${url}`, { method, headers, ...(body && { body }) })
    const { status } = answer
    passedOn.push({ method, status, replayed: answer.headers.get('idempotent-replayed') === 'true' })
    const content = await answer.text()
    if (toLose-- > 0) return void request.socket.resetAndDestroy()
    const { 'content-encoding': ___, ...kept } = Object.fromEntries(answer.headers)
    response.writeHead(status, kept).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passedOn,
    lose(answers: number) {
      toLose = answers
      passedOn.length = 0
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
