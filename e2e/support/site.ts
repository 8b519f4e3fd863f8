import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Site {
  url: string
  close(): void
}

/** Another website on a separate port; with `?frame=` a page embeds another one in a frame. */
export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const framed = new URL(request.url ?? '/', 'http://x').searchParams.get('frame')
    response.setHeader('Content-Type', 'text/html')
    response.end(
      `<!doctype html><title>Shop</title><h1>Welcome</h1>${framed ? `<iframe src="${framed}"></iframe>` : ''}`,
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  }
}
