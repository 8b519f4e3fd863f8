import { once } from 'node:events'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { temporaryRoot } from '../../testing/temporary-root.ts'
import { executable } from './chromium.ts'
import { copyDirectory } from './copy-directory.ts'
import { startMailServer } from './mail-server.ts'
import { type Env, must, startTributary } from './program.ts'
import { createProgramme, type Programme } from './programme.ts'
import { serving } from './serving.ts'

export interface PreparedData {
  dataDir: string
  programme: Programme
}

/** A service that several files share, each with its own account. */
export interface SharedService {
  url: string
  dataDir: string
  /** The environment for CLI commands. */
  env: Env
}

declare module 'vitest' {
  interface ProvidedContext {
    sharedParts: string
  }
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Fixtures that a run creates once, on first use, and every file shares. Tests request them over HTTP, because they run in other processes. */
export default async function setup(project: TestProject) {
  const directory = await realpath(await mkdtemp(join(temporaryRoot, 'tributary-e2e-shared-')))
  await chmod(directory, 0o755)
  const ends: (() => Promise<unknown>)[] = []

  /** A stopped, migrated database without an account. */
  const empty = lazily(async (): Promise<string> => {
    const dataDir = join(directory, 'empty')
    await must(['migrate'], { TRIBUTARY_DATA_DIR: dataDir })
    return dataDir
  })
  /** The same with an account and a campaign. */
  const prepared = lazily(async (): Promise<PreparedData> => {
    const dataDir = join(directory, 'prepared')
    await copyDirectory(await empty(), dataDir)
    return { dataDir, programme: await createProgramme({ TRIBUTARY_DATA_DIR: dataDir }) }
  })
  const mailServer = lazily(async () => {
    const server = await startMailServer()
    ends.unshift(() => server.close())
    return server
  })
  const service = lazily(async (): Promise<SharedService> => {
    const dataDir = join(directory, 'service')
    await copyDirectory((await prepared()).dataDir, dataDir)
    const env = {
      TRIBUTARY_DATA_DIR: dataDir,
      TRIBUTARY_SMTP_URL: (await mailServer()).url,
      TRIBUTARY_MAIL_FROM: 'Tributary <mail@tributary.example>',
      TRIBUTARY_RATE_LIMIT_PER_MINUTE: '10000000',
    }
    const running = await serving(startTributary(['serve'], { ...env, PORT: '0' }))
    ends.unshift(() => running.stop())
    return { url: running.url, dataDir, env }
  })
  const browser = lazily(async () => ({
    path: await executable(),
    home: await mkdtemp(join(directory, 'browser-')),
  }))
  const mail = async (query: URLSearchParams) =>
    (await mailServer()).take(query.get('to') as string, new RegExp(query.get('subject') as string))
  const parts = { empty, prepared, service, browser, mail }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://x')
    try {
      response.end(JSON.stringify(await parts[pathname.slice(1) as keyof typeof parts](searchParams)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('sharedParts', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close().closeAllConnections()
    for (const end of ends) await end()
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
