import type { FastifyReply } from 'fastify'

interface PageRules {
  /** Origins that may embed this page in a frame. */
  frameOrigins?: string[]
  /** Allows one inline style element. */
  styleNonce?: string
  /** Whether the URL is a secret, such as a sign-in link: then the page is never cached. */
  isSecret?: boolean
}

/** Scripts only from this origin, none inline. */
function contentSecurityPolicy({ frameOrigins = [], styleNonce }: PageRules): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // UI components inject style elements.
    `style-src 'self' ${styleNonce ? `'nonce-${styleNonce}'` : "'unsafe-inline'"}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameOrigins.length > 0 ? frameOrigins.join(' ') : "'none'"}`,
  ].join('; ')
}

/** Isolates pages from other origins, except those that may embed them. */
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
