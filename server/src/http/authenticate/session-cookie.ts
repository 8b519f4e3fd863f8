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
  seconds?: number
}

const SECONDS = 30 * 86_400

export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  token: string,
  { inFrames = false, seconds = SECONDS }: CookieOptions = {},
): void {
  const secure = request.protocol === 'https'
  const site: CookieSerializeOptions =
    inFrames && secure ? { sameSite: 'none', partitioned: true } : { sameSite: 'lax' }
  reply.setCookie(nameFor(request, name), token, {
    path: '/',
    httpOnly: true,
    secure,
    maxAge: seconds,
    ...site,
  })
}

export const clearCookie = (
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  options: Omit<CookieOptions, 'seconds'> = {},
): void => setCookie(request, reply, name, '', { ...options, seconds: 0 })

/** Beside clearing the cookie of this name: the plugin keeps one change for each name and path, so it is added to the response directly. */
export function clearPartitioned(request: FastifyRequest, reply: FastifyReply, name: string): void {
  if (request.protocol !== 'https') return
  const options = {
    path: '/',
    httpOnly: true,
    secure: true,
    maxAge: 0,
    sameSite: 'none',
    partitioned: true,
  } as const
  reply.header('set-cookie', reply.server.serializeCookie(nameFor(request, name), '', options))
}
