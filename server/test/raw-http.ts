import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends bytes that no HTTP client would, and returns all that comes back until the server hangs up. */
export async function sendRaw(
  url: string,
  request: string | Buffer,
  encoding: BufferEncoding = 'utf8',
): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  const closed = once(socket, 'close')
  socket.write(request)
  await closed
  return Buffer.concat(chunks).toString(encoding)
}

/** A request as it goes over the wire, closing the connection after it. */
export const rawRequest = (line: string, headers: Record<string, string> = {}, body = '') =>
  [
    line,
    'Host: localhost',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
