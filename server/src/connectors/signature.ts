import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

type Headers = Record<string, string | string[] | undefined>

export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether a signature is the HMAC-SHA256 of these bytes. Takes the same time wherever they differ. */
export function isSignatureOf(
  given: string | undefined,
  secret: string,
  parts: (string | Buffer)[],
  encoding: 'hex' | 'base64',
): boolean {
  if (given === undefined) return false
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  const expected = Buffer.from(hmac.digest(encoding))
  const received = Buffer.from(encoding === 'hex' ? given.toLowerCase() : given)
  return received.length === expected.length && timingSafeEqual(received, expected)
}

/** Names an event by its content, for providers that give it no ID: a repeated delivery has the same body. */
export const contentId = (rawBody: Buffer) => createHash('sha256').update(rawBody).digest('hex').slice(0, 32)

/** The body as an object; undefined if it is not a JSON object. */
export function parseObject(rawBody: Buffer): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(rawBody.toString('utf8'))
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
