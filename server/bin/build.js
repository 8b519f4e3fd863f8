// Turns the TypeScript of the checkout into server/dist and web/dist, and packs the SDK. `npm ci` runs it once; the launcher runs it again when a
// source is newer than the build, so nobody has to remember a build step and nobody runs yesterday's code.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, execPath, exit } from 'node:process'
import { fileURLToPath } from 'node:url'
import { buildWeb, built as webBuilt, sources as webSources } from '../../web/build.js'

const server = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(server, 'dist/main.js')
const contract = join(server, '../contract/src')
const embeddedPostgres = join(server, '../embedded-postgres/src')
const sdk = join(server, '../sdk')
const sdkPacked = join(server, 'dist/sdk')

/** The latest change of a file or below a folder. Directories count too: a deleted file changes its directory. */
function newest(path) {
  const file = statSync(path)
  if (!file.isDirectory()) return file.mtimeMs
  return Math.max(file.mtimeMs, ...readdirSync(path).map(name => newest(join(path, name))))
}

/** An installation without sources (a container image, say) is never stale. */
function isOlder(result, from) {
  if (!existsSync(result)) return true
  if (!existsSync(contract)) return false
  const builtAt = statSync(result).mtimeMs
  return from.some(path => existsSync(path) && newest(path) > builtAt)
}

// npm writes it after it has changed what is installed, all of which is in the build.
const installed = join(server, '../node_modules/.package-lock.json')

const isServerStale = () => isOlder(built, [join(server, 'src'), contract, embeddedPostgres, installed])
const isWebStale = () => isOlder(webBuilt, [...webSources, contract])
const sdkSources = ['src', 'build.js', 'declarations.js', 'pack.js', 'package.json', 'README.md']
const isSdkStale = () => isOlder(sdkPacked, [...sdkSources.map(name => join(sdk, name)), contract])

/** Builds what is older than its sources: in a process of its own, or a service would hold a bundler's memory for as long as it runs. */
export async function buildStale() {
  if (!isServerStale() && !isWebStale() && !isSdkStale()) return
  const builder = spawn(execPath, [fileURLToPath(import.meta.url), 'stale'], { stdio: ['ignore', 2, 2] })
  const [code] = await once(builder, 'exit')
  if (code !== 0) exit(1)
}

async function buildServer() {
  const { build: bundle } = await import('rolldown')
  // Built aside and moved in file by file, the entry last: chunks carry a hash in their names, so a program that
  // starts at this moment finds either the old build whole or the new one.
  const dist = dirname(built)
  const aside = join(server, `dist/building-${process.pid}`)
  // What it is made of is bundled too: finding and reading a thousand small files would be a third of its start. Left out is what
  // has files of its own beside its code.
  await bundle({
    input: join(server, 'src/main.ts'),
    platform: 'node',
    external: /^(@node-rs\/|@embedded-postgres\/|pdfkit|dejavu-fonts-ttf|rolldown|pg-native)/,
    output: { dir: aside, format: 'esm', sourcemap: true, chunkFileNames: '[name]-[hash].js' },
    logLevel: 'warn',
  })
  const files = readdirSync(aside).sort((a, b) => Number(a === 'main.js') - Number(b === 'main.js'))
  for (const file of files) renameSync(join(aside, file), join(dist, file))
  rmSync(aside, { recursive: true })
  for (const old of readdirSync(dist, { withFileTypes: true }))
    if (old.isFile() && !files.includes(old.name)) rmSync(join(dist, old.name), { force: true })
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const isAll = argv[2] !== 'stale'
  if (isAll || isServerStale()) await buildServer()
  if (isAll || isWebStale()) await buildWeb()
  if (isAll || isSdkStale()) await (await import('../../sdk/pack.js')).packSdk(sdkPacked)
}
