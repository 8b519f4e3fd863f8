import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a browser carries for a person. `__Host-` binds it to this very host, and needs TLS: plain http is for trying out. */
const nameFor = (request: FastifyRequest, name: string) =>
  request.protocol === 'https' ? `__Host-${name}` : name

export function readCookie(request: FastifyRequest, name: string): string | undefined {
  const wanted = `${nameFor(request, name)}=`
  const cookies = request.headers.cookie?.split(';').map(text => text.trim()) ?? []
  return cookies.find(text => text.startsWith(wanted))?.slice(wanted.length) || undefined
}

const flags = (request: FastifyRequest) =>
  `Path=/; HttpOnly; SameSite=Lax${request.protocol === 'https' ? '; Secure' : ''}`

export function setCookie(request: FastifyRequest, reply: FastifyReply, name: string, token: string): void {
  const days = 30
  reply.header(
    'Set-Cookie',
    `${nameFor(request, name)}=${token}; ${flags(request)}; Max-Age=${days * 86_400}`,
  )
}

export function clearCookie(request: FastifyRequest, reply: FastifyReply, name: string): void {
  reply.header('Set-Cookie', `${nameFor(request, name)}=; ${flags(request)}; Max-Age=0`)
}
