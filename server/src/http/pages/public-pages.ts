import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openApiDocument } from '@tributary/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../db/services.ts'
import { notFound } from '../../kit/domain-error.ts'
import { once } from '../../kit/once.ts'
import { webBuildFolder, webFolder } from '../../paths.ts'
import { renderReference } from '../../tools/docs/reference-page.ts'
import { isolation } from '../response/page-headers.ts'
import { type StoredResponse, sendStored, storeResponse } from '../response/stored-response.ts'
import { prefersJson } from '../response/wants-page.ts'
import { documentationFile } from './documentation-files.ts'

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const CSS = 'text/css; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'
const assets = {
  'style.css': CSS,
  'favicon.svg': 'image/svg+xml',
  'docs.js': JAVASCRIPT,
  'access-page.css': CSS,
  'access-page.js': JAVASCRIPT,
}

const HTML = 'text/html; charset=utf-8'

const withPageHeaders = (reply: FastifyReply) =>
  reply
    .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .header('Referrer-Policy', 'no-referrer')
    .headers(isolation())
    // Cached but revalidated by ETag: a page changes with each version.
    .header('Cache-Control', 'no-cache')

const sendPage = (request: FastifyRequest, reply: FastifyReply, page: StoredResponse) =>
  sendStored(request, withPageHeaders(reply), page)

const guides = async () => (await import('../../tools/docs/guide-pages.ts')).guidePages()

/** The documentation pages, each rendered on its first request. */
const renderedPages = new Map<string, StoredResponse | undefined>()
async function rendered(
  name: string,
  render: (pages: Awaited<ReturnType<typeof guides>>) => string | undefined,
) {
  if (renderedPages.has(name)) return renderedPages.get(name)
  const page = render(await guides())
  const stored = page === undefined ? undefined : storeResponse(HTML, page)
  // Unknown names are not cached: a client could invent any number of them.
  if (stored) renderedPages.set(name, stored)
  return stored
}
const index = async () => (await rendered('/', pages => pages.index())) as StoredResponse
const missing = async () => (await rendered('/missing', pages => pages.missing())) as StoredResponse

const forAnHour = (reply: FastifyReply) =>
  reply.header('Cache-Control', 'public, max-age=3600').header('Cross-Origin-Resource-Policy', 'same-origin')

/** Browsers get a page with links to the guides; programs get the error. */
async function sendMissing(request: FastifyRequest, reply: FastifyReply) {
  if (prefersJson(request)) throw notFound('page')
  const { plain, type } = await missing()
  return withPageHeaders(reply.code(404)).header('Cache-Control', 'no-store').type(type).send(plain)
}

/** Pages that need no authentication: the documentation. */
export function publicPages(services: Services) {
  return async function register(app: FastifyInstance): Promise<void> {
    const files = await Promise.all(Object.keys(assets).map(file => readFile(join(webFolder, file))))
    // Rendered on first request: only then is the service's URL known.
    const document = once(() => openApiDocument(services.baseUrl))
    const openApi = once(() => storeResponse('application/json; charset=utf-8', JSON.stringify(document())))
    const reference = once(() => storeResponse(HTML, renderReference(document())))

    app.get('/docs', async (request, reply) => sendPage(request, reply, await index()))
    app.get('/docs/reference', async (request, reply) => sendPage(request, reply, reference()))
    app.get('/docs/search', async (request, reply) => {
      const query = new URLSearchParams(request.query as string).get('q') ?? ''
      return withPageHeaders(reply)
        .type(HTML)
        .send((await guides()).search(query.slice(0, 100)))
    })
    app.get('/docs/:guide', async (request, reply) => {
      const { guide } = request.params as { guide: string }
      const page = await rendered(`/guides/${guide}`, pages => pages.guide(guide))
      return page === undefined ? sendMissing(request, reply) : sendPage(request, reply, page)
    })
    app.get('/docs/:folder/:file', async (request, reply) => {
      const { folder, file } = request.params as { folder: string; file: string }
      const found = documentationFile(`${folder}/${file}`)
      return found ? sendStored(request, forAnHour(reply), found) : sendMissing(request, reply)
    })
    app.get('/docs/*', sendMissing)
    app.get('/openapi.json', async (request, reply) =>
      sendStored(request, reply.header('Cache-Control', 'no-cache'), openApi()),
    )
    // Requested by browsers where a page declares no icon. A custom domain has its own.
    app.get('/favicon.ico', async (_request, reply) =>
      reply.header('Cache-Control', 'public, max-age=3600').redirect('/assets/favicon.svg'),
    )
    const font = once(() => storeResponse(CSS, readFileSync(join(webBuildFolder(), 'font.css'))))
    app.get('/assets/font.css', async (request, reply) => sendStored(request, forAnHour(reply), font()))
    Object.entries(assets).forEach(([file, type], index) => {
      const asset = once(() => storeResponse(type, files[index] as Buffer))
      app.get(`/assets/${file}`, async (request, reply) => sendStored(request, forAnHour(reply), asset()))
    })
  }
}
