import type { FastifyRequest } from 'fastify'

/** Paths for programs only: errors are JSON whatever the Accept header. */
const forPrograms =
  /^\/(api|ingest|t|dashboard\/api|portal\/[^/]+\/api|healthz|readyz|metrics|openapi\.json)(\/|\?|$)/
/** Paths opened in browsers: errors are pages unless the client prefers JSON. */
const forPeople = /^\/(r|portal|docs|dashboard)(\/|\?|$)/

/** The quality value of a type in an Accept header; 0 if it is not listed. */
function weightOf(accept: string, type: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map(piece => piece.trim())
    if (name !== type) continue
    const quality = parameters.find(parameter => parameter.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}

/** The route pattern, or the decoded path if no route matched: `/%61pi` is the API too. */
function pathOf(request: FastifyRequest): string {
  if (request.routeOptions?.url !== undefined) return request.routeOptions.url
  try {
    return decodeURI(request.url)
  } catch {
    return request.url
  }
}

/** Whether the client prefers JSON to a page. */
export function prefersJson({ headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? ''
  return weightOf(accept, 'application/json') > weightOf(accept, 'text/html')
}

/** Whether to render an error of this request as a page. */
export function wantsPage(request: FastifyRequest): boolean {
  const path = pathOf(request)
  if (forPrograms.test(path) || prefersJson(request)) return false
  return forPeople.test(path) || weightOf(request.headers.accept ?? '', 'text/html') > 0
}
