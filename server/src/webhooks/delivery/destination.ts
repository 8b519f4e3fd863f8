import { isIP } from 'node:net'
import { type DestinationPolicy, mayConnect, type Scheme } from '../../kit/destination.ts'
import { parseUrl } from '../../kit/url.ts'

export { type DestinationPolicy, destinationPolicy, mayConnect, type Scheme } from '../../kit/destination.ts'

/** Why a URL can't receive webhooks, judged by its text alone; undefined if it can. */
export function urlProblem(text: string, policy: DestinationPolicy): string | undefined {
  const scheme = /^(https?):\/\/([^/?#]+)/i.exec(text)
  const url = parseUrl(text)
  if (!scheme || !url || /[\s\p{Cc}\\]/u.test(text)) return 'must be an absolute https URL'
  if (scheme[2]?.includes('@')) return 'must not contain a username or password'
  if (text.includes('#')) return 'must not have a fragment'
  const { protocol, hostname } = url as URL & { protocol: Scheme }
  if (protocol === 'http:' && !policy.allowInternal && !policy.allowed)
    return 'must use https: plain http is only for private destinations that the operator allows'
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) && !mayConnect(literal, policy, protocol))
    return 'must not point to a private, link-local or metadata address'
  return undefined
}
