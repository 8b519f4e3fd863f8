/**
 * The API key in an Authorization header: a bearer token, or the username of HTTP Basic. Undefined without credentials; a malformed
 * header yields an empty string, which is treated as an invalid key.
 */
export function keyFrom(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const [, scheme = '', value = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return ''
  const [username = ''] = Buffer.from(value, 'base64').toString('utf8').split(':', 1)
  return username
}
