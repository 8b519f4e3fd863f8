import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll } from 'vitest'
import { temporaryDirectory } from './temporary.ts'

const SYSTEM_NAMES = ['chromium', 'google-chrome', 'chromium-browser']

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The package holds a binary for x86-64 alone. */
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

/** Known while tests are being defined, so that a file can define others where there is no browser. */
export const hasBrowser = isBundledUsable() || systemBrowser() !== undefined

async function executable(): Promise<string> {
  if (isBundledUsable()) {
    const { default: bundled } = (await import(BUNDLED)) as { default: { executablePath(): Promise<string> } }
    return bundled.executablePath()
  }
  const path = systemBrowser()
  if (!path) throw new Error('There is no Chromium on this machine.')
  return path
}

const started: Browser[] = []
// After the tests, however they ended. Before the temporary directories go: hooks run last in, first out.
afterAll(async () => {
  for (const browser of started.splice(0)) await browser.close()
})

/**
 * A real Chromium with a profile of its own, which Playwright removes when it closes. It reaches nothing but this machine, and
 * takes it for these hosts too.
 */
export async function launchBrowser(...hosts: string[]): Promise<Browser> {
  const home = await temporaryDirectory(0o700)
  const browser = await chromium.launch({
    executablePath: await executable(),
    // Since Chromium 132 that is the new headless mode: the browser itself, without windows.
    headless: true,
    // Chromium's sandbox cannot be set up by root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=${hosts.map(host => `MAP ${host} 127.0.0.1, `).join('')}MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1`,
    ],
    // What it would leave in the user's home goes where it is cleaned up.
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
  })
  started.push(browser)
  return browser
}

/** Somebody with cookies of their own, and a record of what their browser did. */
export interface Visitor {
  context: BrowserContext
  tab: Page
  /** Every address that was asked for, by whatever page. */
  requests: string[]
  /** What a script of a page threw and did not catch. */
  errors: Error[]
  warnings: string[]
}

export async function newVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext(options)
  const visitor: Visitor = { context, tab: await context.newPage(), requests: [], errors: [], warnings: [] }
  context.on('request', request => visitor.requests.push(request.url()))
  visitor.tab.on('pageerror', error => visitor.errors.push(error))
  visitor.tab.on('console', message => {
    if (message.type() === 'warning') visitor.warnings.push(message.text())
  })
  return visitor
}
