import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a browser carries for a person. `__Host-` binds it to this very host, and needs TLS: plain http is for trying out. */
const nameFor = (request: FastifyRequest, name: string) =>
  request.protocol === 'https' ? `__Host-${name}` : name

export function readCookie(request: FastifyRequest, name: string): string | undefined {
  const wanted = `${nameFor(request, name)}=`
  const cookies = request.headers.cookie?.split(';').map(text => text.trim()) ?? []
  return cookies.find(text => text.startsWith(wanted))?.slice(wanted.length) || undefined
}

export interface CookieOptions {
  /** Whether it is also carried by a frame in another site's page; each such site then has one of its own. */
  inFrames?: boolean
  days?: number
}

const DAYS = 30

function writeCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  token: string,
  seconds: number,
  { inFrames = false }: CookieOptions,
): void {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  const site = inFrames && secure ? 'SameSite=None; Partitioned' : 'SameSite=Lax'
  reply.header(
    'Set-Cookie',
    `${nameFor(request, name)}=${token}; Path=/; HttpOnly; ${site}${secure}; Max-Age=${seconds}`,
  )
}

export const setCookie = (
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  token: string,
  options: CookieOptions = {},
): void => writeCookie(request, reply, name, token, (options.days ?? DAYS) * 86_400, options)

export const clearCookie = (
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  options: CookieOptions = {},
): void => writeCookie(request, reply, name, '', 0, options)
