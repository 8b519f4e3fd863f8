/**
 * The API key that an Authorization header carries: a bearer token, or the username of HTTP Basic. Undefined when there
 * are no credentials at all; a header that makes no sense yields a text that is no key, and is treated as a wrong one.
 */
export function keyFrom(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const [, scheme = '', value = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return ''
  const [username = ''] = Buffer.from(value, 'base64').toString('utf8').split(':', 1)
  return username
}
