// Builds the checkout (see builds.js): the program, its pages and the packed SDK. `npm ci` runs it once; the launcher runs it again when a
// source is newer than the build, so there is no build step to remember.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, execPath, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { addBuild, currentBuild, holdCurrentBuild } from './builds.js'
import { compileProgram } from './program.js'

const server = dirname(dirname(fileURLToPath(import.meta.url)))
export const dist = join(server, 'dist')
const contract = join(server, '../contract/src')
const sdk = join(server, '../sdk')
const web = join(server, '../web')

// npm writes it after changing installed packages, which are part of the build.
const installed = join(server, '../node_modules/.package-lock.json')

/** Records when the build of a part started: sources changed during the build are newer. */
const MADE_AT = 'made-at'

/** The parts of a build, each in a folder, with their build functions and sources. */
const parts = {
  program: {
    make: bundleProgram,
    sources: [
      ...['bin', 'src', '../embedded-postgres/src'].map(name => join(server, name)),
      contract,
      installed,
    ],
  },
  web: {
    make: async folder => (await import('../../web/build.js')).buildWeb(folder),
    sources: [
      ...['dashboard', 'portal', 'ui', 'dashboard.html', 'portal.html'].map(name => join(web, name)),
      contract,
    ],
  },
  sdk: {
    make: async folder => (await import('../../sdk/pack.js')).packSdk(folder),
    sources: [
      ...['src', 'build.js', 'declarations.js', 'pack.js', 'package.json', 'README.md'].map(name =>
        join(sdk, name),
      ),
      contract,
    ],
  },
}

/** The latest change of a file or below a folder. Directories count too: a deleted file changes its directory. Tests are not built. */
function newest(path) {
  const file = statSync(path)
  if (!file.isDirectory()) return file.mtimeMs
  let latest = file.mtimeMs
  // A thousand files before every start: one system call for each, and no `join`, take half as long.
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (TEST.test(entry.name)) continue
    const child = `${path}/${entry.name}`
    latest = Math.max(latest, entry.isFile() ? statSync(child).mtimeMs : newest(child))
  }
  return latest
}

const TEST = /\.test\.tsx?$/

/** The latest change of each source, which several parts may have in common. */
const changedAtMs = new Map()

function isNewer(path, thanMs) {
  if (!existsSync(path)) return false
  if (!changedAtMs.has(path)) changedAtMs.set(path, newest(path))
  return changedAtMs.get(path) > thanMs
}

/** An installation without sources, such as a container image, is never stale. */
function isStale(name, build) {
  const madeAt = build && join(build, name, MADE_AT)
  if (!madeAt || !existsSync(madeAt)) return true
  if (!existsSync(contract)) return false
  const begunAtMs = Number(readFileSync(madeAt, 'utf8'))
  return parts[name].sources.some(path => isNewer(path, begunAtMs))
}

/** Builds parts that are older than their sources, in a separate process: otherwise the service would keep the bundler's memory. */
export async function buildStale() {
  const build = currentBuild(dist)
  if (!Object.keys(parts).some(name => isStale(name, build))) return
  const builder = spawn(execPath, [fileURLToPath(import.meta.url), 'stale'], { stdio: ['ignore', 2, 2] })
  const [code] = await once(builder, 'exit')
  if (code !== 0) exit(1)
}

async function bundleProgram(folder) {
  const { build: bundle } = await import('rolldown')
  // Dependencies are bundled too: finding and reading a thousand small files would be a third of the start. Left out are those with
  // files beside their code, and the parts of Fastify that it loads only where we don't replace them.
  await bundle({
    input: join(server, 'src/main.ts'),
    platform: 'node',
    external:
      /^(@node-rs\/|@embedded-postgres\/|pdfkit|dejavu-fonts-ttf|rolldown|pg-native|light-my-request|@fastify\/(ajv|fast-json-stringify)-compiler)/,
    // CommonJS: Node.js loads and links forty ES modules more slowly, which every command and start would pay for.
    output: {
      dir: folder,
      format: 'cjs',
      // `program.js` runs each file as a script, which has no `import`.
      dynamicImportInCjs: false,
      sourcemap: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
    },
    logLevel: 'warn',
  })
  compileProgram(folder)
}

async function makePart(name, folder) {
  const begunAtMs = Date.now()
  await parts[name].make(folder)
  writeFileSync(join(folder, MADE_AT), String(begunAtMs))
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  // Held, so that a concurrent build does not remove the parts that are reused from it.
  const before = holdCurrentBuild(dist)
  const toMake = Object.keys(parts).filter(name => argv[2] !== 'stale' || isStale(name, before?.build))
  // Another start may have built everything in the meantime.
  if (toMake.length > 0)
    await addBuild(dist, async build => {
      for (const name of Object.keys(parts)) {
        const folder = join(build, name)
        if (toMake.includes(name)) await makePart(name, folder)
        else cpSync(join(before.build, name), folder, { recursive: true })
      }
      before?.release()
    })
}
