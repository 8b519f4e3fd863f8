import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../kit/domain-error.ts'
import { once } from '../../kit/once.ts'
import { sdkFolder } from '../../paths.ts'

/** The SDK tarball of the build, read once; undefined without a build. */
const sdkPackage = once(() => {
  const folder = sdkFolder()
  const name = existsSync(folder) && readdirSync(folder).find(each => each.endsWith('.tgz'))
  if (!name) return undefined
  const bytes = readFileSync(join(folder, name))
  return { name, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"` }
})

/** Serves the SDK of exactly this version for `npm install`, so that no registry has to be trusted. */
export function sdkRoutes() {
  return async function register(app: FastifyInstance): Promise<void> {
    app.get('/sdk', async (_request, reply) => reply.redirect('/docs/sdk'))
    app.get('/sdk/latest.tgz', async (_request, reply) => {
      const sdk = sdkPackage()
      if (!sdk) throw notFound('package')
      return reply.header('Cache-Control', 'no-cache').redirect(`/sdk/${sdk.name}`)
    })
    app.get('/sdk/:file', async (request, reply) => {
      const sdk = sdkPackage()
      if (sdk?.name !== (request.params as { file: string }).file) throw notFound('package')
      reply
        .header('ETag', sdk.etag)
        .header('X-Content-Type-Options', 'nosniff')
        // Immutable: the file name contains the version.
        .header('Cache-Control', 'public, max-age=31536000, immutable')
      if (request.headers['if-none-match'] === sdk.etag) return reply.code(304).send()
      return reply.type('application/gzip').send(sdk.bytes)
    })
  }
}
