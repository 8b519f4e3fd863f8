import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from '../../kit/once.ts'
import { webBuildFolder } from '../../paths.ts'
import { sendHtml } from '../response/page-headers.ts'
import { type StoredResponse, sendStored, storeResponse } from '../response/stored-response.ts'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** All assets of the build, in memory: a few dozen, and no other path can be requested. */
function readAssets(folder: string): Map<string, StoredResponse> {
  const compressed = (file: string, ending: string) =>
    existsSync(join(folder, file + ending)) ? readFileSync(join(folder, file + ending)) : undefined
  const assets = new Map<string, StoredResponse>()
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const type = types[extname(file)]
    if (type)
      assets.set(
        file,
        storeResponse(type, readFileSync(join(folder, file)), {
          br: compressed(file, '.br'),
          gzip: compressed(file, '.gz'),
        }),
      )
  }
  return assets
}

const assets = once(() => readAssets(join(webBuildFolder(), 'assets')))

/** The dashboard page and the assets of both web apps. */
export function webApp() {
  return async function register(app: FastifyInstance): Promise<void> {
    const page = readFileSync(join(webBuildFolder(), 'dashboard.html'), 'utf8')
    const sendDashboard = async (_request: FastifyRequest, reply: FastifyReply) => sendHtml(reply, page)

    app.get('/', async (_request, reply) => reply.redirect('/dashboard'))
    app.get('/dashboard', sendDashboard)
    app.get('/dashboard/*', sendDashboard)
    app.get('/web/assets/:file', async (request, reply) => {
      const asset = assets().get((request.params as { file: string }).file)
      if (!asset) return reply.callNotFound()
      // Immutable: the file name contains a content hash.
      reply.header('Cache-Control', 'public, max-age=31536000, immutable')
      reply.header('Cross-Origin-Resource-Policy', 'same-origin')
      return sendStored(request, reply, asset)
    })
  }
}
