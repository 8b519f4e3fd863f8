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

export const sendHtml = (reply: FastifyReply, page: string, rules: PageRules = {}) =>
  reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', contentSecurityPolicy(rules))
    .header('X-Content-Type-Options', 'nosniff')
    .header('Referrer-Policy', 'no-referrer')
    .header('Cache-Control', rules.isSecret ? 'no-store' : 'no-cache')
    .send(page)
