import { parseUrl } from '../../kit/url.ts'

/** A page of the destination's own site, or undefined: a link never leads where the merchant did not send it. */
export function deepLink(to: string, destination: string): string | undefined {
  const base = new URL(destination)
  const target = parseUrl(to, base)
  if (!target) return undefined
  // A blob: URL has the origin of the site that made it, so the scheme is compared too.
  const isSameSite = target.origin === base.origin && target.protocol === base.protocol
  return isSameSite && !target.username && !target.password ? target.href : undefined
}

const nameIn = (pair: string) => [...new URLSearchParams(pair).keys()][0]

/** The address with the affiliate's token and a click added to its query, before any fragment: made once, for any number of clicks. */
export function addressOfClicks(address: string, token: string): (clickId: number) => string {
  const url = new URL(address)
  // The merchant's own parameters stay as they are written; searchParams would write `%20` and `?flag` anew.
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => pair !== '' && !['via', 'click_id'].includes(nameIn(pair) ?? ''))
  url.search = [...kept, `via=${encodeURIComponent(token)}`, 'click_id='].join('&')
  const { hash } = url
  url.hash = ''
  const { href } = url
  return clickId => `${href}${clickId}${hash}`
}

/** Whether a page belongs to one of the merchant's sites: the host that a campaign leads to, or one below it. */
export function isMerchantOrigin(origin: string, destinations: string[]): boolean {
  const page = parseUrl(origin)
  if (!page) return false
  const { hostname, protocol } = page
  return destinations.some(destination => {
    const site = new URL(destination)
    const host = site.hostname.replace(/^www\./, '')
    return protocol === site.protocol && (hostname === host || hostname.endsWith(`.${host}`))
  })
}
