import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { openApiDocument } from '@tributary/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderReference } from '../docs/reference-page.ts'
import { notFound } from '../kit/domain-error.ts'
import type { Services } from '../kit/endpoint.ts'
import { once } from '../kit/once.ts'
import { docsFolder, webFolder } from '../paths.ts'
import { asksForJson } from './wants-page.ts'

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const assets = {
  'style.css': 'text/css; charset=utf-8',
  'favicon.svg': 'image/svg+xml',
  'door.css': 'text/css; charset=utf-8',
  'door.js': 'text/javascript; charset=utf-8',
}

/** What belongs to the guides besides their text; whatever is to be copied is shown as text. */
const fileTypes: Record<string, string> = { '.png': 'image/png', '.svg': 'image/svg+xml' }

function sendPage(reply: FastifyReply, page: string) {
  reply.header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  reply.header('X-Content-Type-Options', 'nosniff')
  reply.header('Referrer-Policy', 'no-referrer')
  return reply.type('text/html; charset=utf-8').send(page)
}

export const guideRenderer = () => import('../docs/guide-pages.ts')
const guides = async () => (await guideRenderer()).guidePages()

/** People see where else to look; programs get the error. */
async function sendMissing(request: FastifyRequest, reply: FastifyReply) {
  if (asksForJson(request)) throw notFound('page')
  return sendPage(reply.code(404), (await guides()).missing())
}

/** What the service shows without a key: its documentation. */
export function publicPages(services: Services) {
  return async function register(app: FastifyInstance): Promise<void> {
    const files = await Promise.all(Object.keys(assets).map(file => readFile(join(webFolder, file), 'utf8')))
    // Made when first asked for: only then is it certain under which address the service listens.
    const document = once(() => openApiDocument(services.baseUrl))
    const reference = once(() => renderReference(document()))

    app.get('/docs', async (_request, reply) => sendPage(reply, (await guides()).index()))
    app.get('/docs/reference', async (_request, reply) => sendPage(reply, reference()))
    app.get('/docs/search', async (request, reply) => {
      const asked = new URLSearchParams(request.query as string).get('q') ?? ''
      return sendPage(reply, (await guides()).search(asked.slice(0, 100)))
    })
    app.get('/docs/:guide', async (request, reply) => {
      const page = (await guides()).guide((request.params as { guide: string }).guide)
      return page === undefined ? sendMissing(request, reply) : sendPage(reply, page)
    })
    app.get('/docs/:folder/:file', async (request, reply) => {
      const { folder, file } = request.params as { folder: string; file: string }
      const path = join(docsFolder, folder, file)
      const isOfDocs = /^(images|deploy|grafana)$/.test(folder) && /^[A-Za-z0-9.@-]+$/.test(file)
      if (!isOfDocs || !existsSync(path)) return sendMissing(request, reply)
      return reply
        .type(fileTypes[extname(file)] ?? 'text/plain; charset=utf-8')
        .header('X-Content-Type-Options', 'nosniff')
        .header('Cache-Control', 'public, max-age=3600')
        .send(await readFile(path))
    })
    app.get('/docs/*', sendMissing)
    app.get('/openapi.json', async (_request, reply) => reply.send(document()))
    // Asked for by browsers wherever a page names no icon. An account's own domain has one of its own.
    app.get('/favicon.ico', async (_request, reply) =>
      reply.header('Cache-Control', 'public, max-age=3600').redirect('/assets/favicon.svg'),
    )
    Object.entries(assets).forEach(([file, type], index) => {
      app.get(`/assets/${file}`, async (_request, reply) =>
        reply.type(type).header('Cache-Control', 'public, max-age=3600').send(files[index]),
      )
    })
  }
}
