import { join } from 'node:path'
import { inject } from 'vitest'
import { copyDirectory } from './copy-directory.ts'
import type { Mail } from './mail-server.ts'
import { createProgramme, type Programme } from './programme.ts'
import type { PreparedData, SharedService } from './shared-parts.ts'
import { rememberDataDir, temporaryDirectory } from './temporary.ts'

async function ask<T>(part: string, query: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${inject('sharedParts')}/${part}?${new URLSearchParams(query)}`)
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as T
}

/** A data directory of the test's own with a migrated database, an account and its campaign: no waiting for PostgreSQL to be set up. */
export async function preparedDataDir(): Promise<PreparedData> {
  const { dataDir: original, programme } = await ask<PreparedData>('prepared')
  const dataDir = join(await temporaryDirectory(), 'data')
  await copyDirectory(original, dataDir)
  rememberDataDir(dataDir)
  return { dataDir, programme }
}

/** The service that runs for all files that only talk to it. */
export const sharedService = () => ask<SharedService>('service')

/** An account of its own in the shared service. */
export async function sharedProgramme(): Promise<SharedService & { programme: Programme }> {
  const service = await sharedService()
  return { ...service, programme: await createProgramme(service.env) }
}

/** Where the browser of the run is to be reached. */
export const sharedBrowserAddress = () => ask<string>('browser')

/** Takes the first mail from the shared service to this address whose subject matches, once it has come. */
export const takeMail = (to: string, subject: RegExp) => ask<Mail>('mail', { to, subject: subject.source })
