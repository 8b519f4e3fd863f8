import { text } from 'node:stream/consumers'
import type { Browser, BrowserContext, BrowserContextOptions, Download, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser, startChromium } from './chromium.ts'
import { sharedBrowser } from './shared.ts'
import { onCleanup } from './temporary.ts'

/** Tests in a browser; without one, a single test that reports it. */
export function describeInBrowser(what: string, tests: () => void): void {
  if (hasBrowser) describe(what, tests)
  else
    describe(what, () => {
      test('there is no Chromium on this machine', () => expect(hasBrowser).toBe(false))
    })
}

/** The worker's browser, shared by its files. It ends with the worker. */
let started: Promise<Browser> | undefined
onCleanup(async () => {
  for (const context of (await started)?.contexts() ?? []) await context.close()
})

function openBrowser(): Promise<Browser> {
  started ??= sharedBrowser()
    .then(startChromium)
    .catch(error => {
      // Otherwise cleaning up would fail too, after this file and all that follow, and leave their programs running.
      started = undefined
      throw error
    })
  return started
}

/** A browser context with its own cookies, and a record of its requests and errors. */
export interface Visitor {
  context: BrowserContext
  tab: Page
  /** Every URL requested by any page. */
  requests: string[]
  /** Uncaught errors of any page. */
  errors: Error[]
  warnings: string[]
}

/** The timeout of a page on a slow machine. */
const PATIENCE_MS = 60_000

export async function newVisitor(options: BrowserContextOptions = {}): Promise<Visitor> {
  // In the middle of a transition, colours have no meaningful contrast and a part may be half gone.
  const context = await (await openBrowser()).newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  const visitor: Visitor = { context, tab: await context.newPage(), requests: [], errors: [], warnings: [] }
  context.on('request', request => visitor.requests.push(request.url()))
  visitor.tab.on('pageerror', error => visitor.errors.push(error))
  visitor.tab.on('console', message => {
    if (message.type() === 'warning') visitor.warnings.push(message.text())
  })
  return visitor
}

/** The content of a download, streamed because its file may not be accessible. */
export const textOf = async (download: Download): Promise<string> => text(await download.createReadStream())
