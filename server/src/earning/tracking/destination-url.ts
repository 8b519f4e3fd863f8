import { parseUrl } from '../../kit/url.ts'

/** A page on the destination's site, or undefined: a link never redirects to a site the merchant did not choose. */
export function deepLink(to: string, destination: string): string | undefined {
  const base = new URL(destination)
  const target = parseUrl(to, base)
  if (!target) return undefined
  // A blob: URL has the origin of the site that created it, so the scheme is compared too.
  const isSameSite = target.origin === base.origin && target.protocol === base.protocol
  return isSameSite && !target.username && !target.password ? target.href : undefined
}

const nameIn = (pair: string) => [...new URLSearchParams(pair).keys()][0]

/** Builds the URL with the affiliate's token and a click id in its query, before any fragment. Parsed once for any number of clicks. */
export function clickUrlBuilder(destination: string, token: string): (clickId: number) => string {
  const url = new URL(destination)
  // The merchant's parameters stay as written; searchParams would re-encode `%20` and `?flag`.
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

/** Whether a page is on one of the merchant's sites: a campaign's destination host, or a subdomain of it. */
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
