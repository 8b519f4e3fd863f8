import { memo } from '../../kit/cache.ts'
import { parseUrl } from '../../kit/url.ts'

/** What the query of a link says. */
export interface LinkQuery {
  /** A page on the destination's site to redirect to instead of the destination itself. */
  to: string | undefined
  /** The parameters that say where its visitors come from, as a query. */
  marks: string
}

/** What insight breaks clicks down by, and what search engines add to an ad's address, here the link. */
const MARKS = new Set([
  ...['utm_source', 'utm_medium', 'utm_campaign', 'sub_id'],
  ...['gclid', 'gbraid', 'wbraid', 'msclkid'],
])
const unmarked: LinkQuery = { to: undefined, marks: '' }

/** Reads a link's query, leniently: parameters that third parties append must not break a link. */
export function readLinkQuery(query: string): LinkQuery {
  if (!query) return unmarked
  const parameters = new URLSearchParams(query)
  const marks = [...parameters].filter(([name]) => MARKS.has(name))
  return {
    to: parameters.get('to') ?? undefined,
    marks: marks.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'),
  }
}

/** A page with the marks of the link that led to it. They come before the page's own: of two, the first counts. */
export function markedPage(page: string, marks: string): string {
  if (!marks) return page
  const [, path, query, hash] = /^([^?#]*)\??([^#]*)(.*)$/s.exec(page) as unknown as [
    string,
    string,
    string,
    string,
  ]
  return `${path}?${query ? `${marks}&${query}` : marks}${hash}`
}

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

/** What is before the token and behind the click id. Cached: most clicks lead to one of a few pages. */
const knownPages = memo<{ before: string; after: string }>(1000)
/** A visitor chooses the page of a deep link: longer ones would fill the memory. */
const LONGEST_KNOWN = 512

function partsOf(page: string) {
  const url = new URL(page)
  // The merchant's parameters stay as written; searchParams would re-encode `%20` and `?flag`.
  const kept = url.search
    .slice(1)
    .split('&')
    .filter(pair => pair !== '' && !['via', 'click_id'].includes(nameIn(pair) ?? ''))
  url.search = [...kept, 'via='].join('&')
  const { hash } = url
  url.hash = ''
  return { before: url.href, after: hash }
}

/** The page's URL with the affiliate's token and the click's id in its query, before any fragment. */
export function clickUrl(page: string, token: string, clickId: number): string {
  const { before, after } =
    page.length > LONGEST_KNOWN ? partsOf(page) : knownPages(page, () => partsOf(page))
  return `${before}${encodeURIComponent(token)}&click_id=${clickId}${after}`
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
