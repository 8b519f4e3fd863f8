import type { FastifyReply } from 'fastify'

interface PageRules {
  /** Origins whose pages may show this one in a frame. */
  frameOrigins?: string[]
  /** Lets one style element of the page through. */
  styleNonce?: string
  /** Whether its address opens a door: then no browser keeps a copy. */
  isSecret?: boolean
}

/** Scripts come from here and nowhere else, and none stands in a page. */
function contentSecurityPolicy({ frameOrigins = [], styleNonce }: PageRules): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // The components set their measures in style elements of their own.
    `style-src 'self' ${styleNonce ? `'nonce-${styleNonce}'` : "'unsafe-inline'"}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameOrigins.length > 0 ? frameOrigins.join(' ') : "'none'"}`,
  ].join('; ')
}

/** No other site's window reaches into a page, and none loads it but those that may show it in a frame. */
export const isolation = ({ frameOrigins = [] }: PageRules = {}) => ({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': frameOrigins.length > 0 ? 'cross-origin' : 'same-origin',
})

export const sendHtml = (reply: FastifyReply, page: string, rules: PageRules = {}) =>
  reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', contentSecurityPolicy(rules))
    .header('Referrer-Policy', 'no-referrer')
    .headers(isolation(rules))
    .header('Cache-Control', rules.isSecret ? 'no-store' : 'no-cache')
    .send(page)
