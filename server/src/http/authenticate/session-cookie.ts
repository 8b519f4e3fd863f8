import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** `__Host-` binds the cookie to this host and requires TLS; plain http is for local use. */
const nameFor = (request: FastifyRequest, name: string) =>
  request.protocol === 'https' ? `__Host-${name}` : name

export const readCookie = (request: FastifyRequest, name: string): string | undefined =>
  request.cookies[nameFor(request, name)] || undefined

export interface CookieOptions {
  /** Whether it is also sent from frames on other sites; each embedding site then has a separate, partitioned cookie. */
  inFrames?: boolean
  days?: number
}

const DAYS = 30

export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  token: string,
  { inFrames = false, days = DAYS }: CookieOptions = {},
): void {
  const secure = request.protocol === 'https'
  const site: CookieSerializeOptions =
    inFrames && secure ? { sameSite: 'none', partitioned: true } : { sameSite: 'lax' }
  reply.setCookie(nameFor(request, name), token, {
    path: '/',
    httpOnly: true,
    secure,
    maxAge: days * 86_400,
    ...site,
  })
}

export const clearCookie = (
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  options: Omit<CookieOptions, 'days'> = {},
): void => setCookie(request, reply, name, '', { ...options, days: 0 })
