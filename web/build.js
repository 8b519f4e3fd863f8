// Turns the pages into a part of a build: hashed assets, and beside each of them the same compressed, so that the server never has to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const web = dirname(fileURLToPath(import.meta.url))
export const sources = ['dashboard', 'portal', 'ui', 'dashboard.html', 'portal.html'].map(name =>
  join(web, name),
)

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

async function buildPage(page, outDir) {
  const { build } = await import('vite')
  await build({
    root: web,
    base: '/web/',
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(web, page),
        // Nothing here runs on a server, so it does not matter that "use client" gets lost.
        onLog: (level, log, tell) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && tell(level, log),
      },
    },
  })
}

export async function buildWeb(folder) {
  // The pages are made for production whatever this process is; it must not take itself for a production one afterwards.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    // Each by itself: a phone that opens the portal loads nothing that only the dashboard needs.
    for (const page of ['dashboard.html', 'portal.html']) await buildPage(page, folder)
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
  const assets = join(folder, 'assets')
  for (const file of readdirSync(assets)) {
    const content = readFileSync(join(assets, file))
    writeFileSync(join(assets, `${file}.br`), brotliCompressSync(content, brotli))
    writeFileSync(join(assets, `${file}.gz`), gzipSync(content, { level: 9 }))
  }
}
