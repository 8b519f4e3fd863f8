import { text } from 'node:stream/consumers'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Page,
} from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { hasBrowser } from './chromium.ts'
import { sharedBrowserAddress } from './shared.ts'

/** Tests in a browser; where there is none, one that says so, which the end of the output repeats. */
export function describeInBrowser(what: string, tests: () => void): void {
  if (hasBrowser) describe(what, tests)
  else
    describe(what, () => {
      test('there is no Chromium on this machine', () => expect(hasBrowser).toBe(false))
    })
}

let connected: Promise<Browser> | undefined
// Ends what this file opened in it; the browser itself goes on for the others.
afterAll(async () => (await connected)?.close())

/** The browser of the run. */
function openBrowser(): Promise<Browser> {
  connected ??= sharedBrowserAddress().then(address => chromium.connect(address))
  return connected
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

/** How long a page may take on a slow machine; what is waited for is there in a moment on any other. */
const PATIENCE_MS = 60_000

export async function newVisitor(options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await (await openBrowser()).newContext(options)
  context.setDefaultTimeout(PATIENCE_MS)
  const visitor: Visitor = { context, tab: await context.newPage(), requests: [], errors: [], warnings: [] }
  context.on('request', request => visitor.requests.push(request.url()))
  visitor.tab.on('pageerror', error => visitor.errors.push(error))
  visitor.tab.on('console', message => {
    if (message.type() === 'warning') visitor.warnings.push(message.text())
  })
  return visitor
}

/** What a browser saved: its own file may be out of our reach. */
export const textOf = async (download: Download): Promise<string> => text(await download.createReadStream())
