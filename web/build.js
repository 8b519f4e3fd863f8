// Turns the pages into web/dist: hashed assets, and beside each of them the same compressed, so that the server never has to.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const web = dirname(fileURLToPath(import.meta.url))
export const sources = ['dashboard', 'portal', 'ui', 'dashboard.html', 'portal.html'].map(name =>
  join(web, name),
)
export const built = join(web, 'dist/dashboard.html')

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

export async function buildWeb() {
  // The pages are made for production whatever this process is; it must not take itself for a production one afterwards.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  const aside = join(web, `dist-building-${process.pid}`)
  rmSync(aside, { recursive: true, force: true })
  try {
    // Each by itself: a phone that opens the portal loads nothing that only the dashboard needs.
    for (const page of ['dashboard.html', 'portal.html']) await buildPage(page, aside)
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
  const assets = join(aside, 'assets')
  for (const file of readdirSync(assets)) {
    const content = readFileSync(join(assets, file))
    writeFileSync(join(assets, `${file}.br`), brotliCompressSync(content, brotli))
    writeFileSync(join(assets, `${file}.gz`), gzipSync(content, { level: 9 }))
  }
  // Moved in whole: a server that starts at this moment finds the old pages or the new ones.
  const dist = join(web, 'dist')
  const old = `${dist}-old-${process.pid}`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(aside, dist)
  rmSync(old, { recursive: true, force: true })
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildWeb()
