import type { FastifyRequest } from 'fastify'

/** Addresses that only programs call: their errors are JSON whatever the Accept header says. */
const forPrograms =
  /^\/(api|ingest|t|dashboard\/api|portal\/[^/]+\/api|healthz|readyz|metrics|openapi\.json)(\/|\?|$)/
/** Addresses that people open: their errors are pages unless the caller asks for JSON. */
const forPeople = /^\/(r|portal|docs|dashboard)(\/|\?|$)/

/** The weight that an Accept header gives a type by name; 0 where it does not name it. */
function weightOf(accept: string, type: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map(piece => piece.trim())
    if (name !== type) continue
    const quality = parameters.find(parameter => parameter.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}

/** The pattern of the route, or the decoded path where there is none: `/%61pi` is the API too. */
function pathOf(request: FastifyRequest): string {
  if (request.routeOptions?.url !== undefined) return request.routeOptions.url
  try {
    return decodeURI(request.url)
  } catch {
    return request.url
  }
}

/** Whether the caller prefers JSON to a page. */
export function prefersJson({ headers }: FastifyRequest): boolean {
  const accept = headers.accept ?? ''
  return weightOf(accept, 'application/json') > weightOf(accept, 'text/html')
}

/** Whether an error of this request is shown as a page. */
export function wantsPage(request: FastifyRequest): boolean {
  const path = pathOf(request)
  if (forPrograms.test(path) || prefersJson(request)) return false
  return forPeople.test(path) || weightOf(request.headers.accept ?? '', 'text/html') > 0
}
