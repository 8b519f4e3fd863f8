import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Delivery {
  headers: IncomingHttpHeaders
  body: string
}

/** A webhook receiver that accepts and stores everything, or passes it to `take` instead. */
export async function startReceiver(take?: (delivery: Delivery) => void): Promise<{
  url: string
  received: Delivery[]
  close(): Promise<void>
}> {
  const received: Delivery[] = []
  const keep = take ?? (delivery => received.push(delivery))
  const server = createServer(async (request, response) => {
    keep({ headers: request.headers, body: await text(request) })
    response.end('thank you')
  })
  // A request cut off by a killed sender was not received.
  server.on('connection', socket => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
