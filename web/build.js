// Builds the web pages: hashed assets, each with precompressed variants, so that the server never compresses them.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const web = dirname(fileURLToPath(import.meta.url))

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
        // Nothing here runs on a server, so losing "use client" does not matter.
        onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
      },
    },
  })
}

/**
 * One font for every page, so that text takes the same room on every machine. Browsers load only the alphabets a page shows. The version
 * in the names lets them keep the files.
 */
function copyFont(folder) {
  const manifest = createRequire(import.meta.url).resolve('@fontsource-variable/inter/package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const styles = readFileSync(join(dirname(manifest), 'wght.css'), 'utf8')
  const linked = styles.replace(/\.\/files\/([\w-]+)\.woff2/g, (file, name) => {
    const asset = `${name}-${version}.woff2`
    copyFileSync(join(dirname(manifest), file), join(folder, 'assets', asset))
    return `/web/assets/${asset}`
  })
  writeFileSync(join(folder, 'font.css'), linked)
}

export async function buildWeb(folder) {
  // The pages are always built for production; the NODE_ENV of this process is restored afterwards.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    // Built separately, so that the portal loads nothing that only the dashboard needs.
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
  // Last: fonts are compressed already.
  copyFont(folder)
}
